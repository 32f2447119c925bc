// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MessageTransmitterV2} from "./MessageTransmitterV2.sol";

interface IMintBurnToken is IERC20 {
    function mint(address to, uint256 amount) external returns (bool);
    function burn(uint256 amount) external;
}

/// The token layer of a burn-and-mint bridge: the public interface, byte layout and checks of CCTP v2. It is its own minter.
///
/// Layout of a burn message (offset: field): 0 version, 4 burnToken, 36 mintRecipient, 68 amount, 100 messageSender,
/// 132 maxFee, 164 feeExecuted, 196 expirationBlock, 228 hookData. The attester fills in feeExecuted and expirationBlock.
contract TokenMessengerV2 is Ownable {
    using SafeERC20 for IMintBurnToken;

    uint32 public constant messageBodyVersion = 1;
    uint256 public constant MIN_FEE_MULTIPLIER = 10_000_000;
    uint32 private constant LOWEST_FINALITY = 500;

    MessageTransmitterV2 public immutable localMessageTransmitter;
    address public feeRecipient;
    /// Share of an amount that a burn must offer as its fee at least, in parts of MIN_FEE_MULTIPLIER.
    uint256 public minFee;
    mapping(uint32 => bytes32) public remoteTokenMessengers;
    /// (remote domain, remote token) to the token here.
    mapping(uint32 => mapping(bytes32 => address)) public localTokens;
    mapping(address => bool) public isBurnable;

    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected);
    event RemoteTokenMessengerAdded(uint32 domain, bytes32 tokenMessenger);
    event MinFeeSet(uint256 minFee);

    constructor(MessageTransmitterV2 transmitter, address feeRecipient_) Ownable(msg.sender) {
        localMessageTransmitter = transmitter;
        feeRecipient = feeRecipient_;
    }

    function addRemoteTokenMessenger(uint32 domain, bytes32 tokenMessenger) external onlyOwner {
        remoteTokenMessengers[domain] = tokenMessenger;
        emit RemoteTokenMessengerAdded(domain, tokenMessenger);
    }

    function linkTokenPair(address localToken, uint32 remoteDomain, bytes32 remoteToken) external onlyOwner {
        localTokens[remoteDomain][remoteToken] = localToken;
        isBurnable[localToken] = true;
    }

    function setMinFee(uint256 minFee_) external onlyOwner {
        require(minFee_ < MIN_FEE_MULTIPLIER, "Min fee too high");
        minFee = minFee_;
        emit MinFeeSet(minFee_);
    }

    function getMinFeeAmount(uint256 amount) public view returns (uint256) {
        if (minFee == 0) return 0;
        require(amount > 1, "Amount too low");
        uint256 fee = (amount * minFee) / MIN_FEE_MULTIPLIER;
        return fee == 0 ? 1 : fee;
    }

    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external {
        _depositForBurn(
            amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold, msg.data[0:0]
        );
    }

    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external {
        require(hookData.length > 0, "Hook data is empty");
        _depositForBurn(
            amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold, hookData
        );
    }

    function handleReceiveFinalizedMessage(uint32 remoteDomain, bytes32 sender, uint32, bytes calldata body)
        external
        returns (bool)
    {
        return _mintAndWithdraw(remoteDomain, sender, body);
    }

    function handleReceiveUnfinalizedMessage(uint32 remoteDomain, bytes32 sender, uint32 finality, bytes calldata body)
        external
        returns (bool)
    {
        require(finality >= LOWEST_FINALITY, "Unsupported finality threshold");
        return _mintAndWithdraw(remoteDomain, sender, body);
    }

    function _depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) private {
        require(amount > 0, "Amount must be nonzero");
        require(mintRecipient != bytes32(0), "Mint recipient must be nonzero");
        require(maxFee < amount, "Max fee must be less than amount");
        require(maxFee >= getMinFeeAmount(amount), "Insufficient max fee");
        bytes32 remote = remoteTokenMessengers[destinationDomain];
        require(remote != bytes32(0), "No TokenMessenger for domain");
        require(isBurnable[burnToken], "Burn token not supported");

        IMintBurnToken(burnToken).safeTransferFrom(msg.sender, address(this), amount);
        IMintBurnToken(burnToken).burn(amount);
        localMessageTransmitter.sendMessage(
            destinationDomain,
            remote,
            destinationCaller,
            minFinalityThreshold,
            abi.encodePacked(
                messageBodyVersion,
                _word(burnToken),
                mintRecipient,
                amount,
                _word(msg.sender),
                maxFee,
                uint256(0),
                uint256(0),
                hookData
            )
        );
        emit DepositForBurn(
            burnToken,
            amount,
            msg.sender,
            mintRecipient,
            destinationDomain,
            remote,
            destinationCaller,
            maxFee,
            minFinalityThreshold,
            hookData
        );
    }

    function _mintAndWithdraw(uint32 remoteDomain, bytes32 sender, bytes calldata body) private returns (bool) {
        require(msg.sender == address(localMessageTransmitter), "Invalid message transmitter");
        require(sender != bytes32(0) && sender == remoteTokenMessengers[remoteDomain], "Remote TokenMessenger unsupported");
        require(body.length >= 228, "Invalid burn message: too short");
        require(uint32(bytes4(body[0:4])) == messageBodyVersion, "Invalid message body version");
        uint256 expirationBlock = uint256(bytes32(body[196:228]));
        require(expirationBlock == 0 || expirationBlock > block.number, "Message expired and must be re-signed");
        uint256 amount = uint256(bytes32(body[68:100]));
        uint256 fee = uint256(bytes32(body[164:196]));
        require(fee == 0 || fee < amount, "Fee equals or exceeds amount");
        require(fee <= uint256(bytes32(body[132:164])), "Fee exceeds max fee");
        address token = localTokens[remoteDomain][bytes32(body[4:36])];
        require(token != address(0), "Mint token not supported");

        address recipient = address(uint160(uint256(bytes32(body[36:68]))));
        IMintBurnToken(token).mint(recipient, amount - fee);
        if (fee > 0) IMintBurnToken(token).mint(feeRecipient, fee);
        emit MintAndWithdraw(recipient, amount - fee, token, fee);
        return true;
    }

    function _word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
