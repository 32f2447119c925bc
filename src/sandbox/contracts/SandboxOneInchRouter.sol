// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Erc20 {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface Executor {
    function callBytes(bytes calldata data) external payable;
}

/// Stands in for 1inch's AggregationRouterV6, whose bytecode no package ships: `swap` with its errors and its order of checks, without
/// partial fills, extra coin and Permit2. What its executor brings, it pays out itself.
contract SandboxOneInchRouter {
    struct SwapDescription {
        address srcToken;
        address dstToken;
        address payable srcReceiver;
        address payable dstReceiver;
        uint256 amount;
        uint256 minReturnAmount;
        uint256 flags;
    }

    error ZeroMinReturn();
    error InvalidMsgValue();
    error ReturnAmountIsNotEnough(uint256 result, uint256 minReturn);

    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    /// The executor that the sandbox's own service names in its routes.
    address public immutable executor;

    constructor(address executor_) {
        executor = executor_;
    }

    receive() external payable {}

    /// As EIP-5267 has it.
    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (hex"0f", "1inch Aggregation Router", "6", block.chainid, address(this), 0, new uint256[](0));
    }

    function swap(address executor_, SwapDescription calldata desc, bytes calldata data)
        external
        payable
        returns (uint256 returnAmount, uint256 spentAmount)
    {
        if (desc.minReturnAmount == 0) revert ZeroMinReturn();
        bool isCoin = desc.srcToken == NATIVE;
        if (msg.value != (isCoin ? desc.amount : 0)) revert InvalidMsgValue();
        require(desc.flags == 0, "not in the sandbox");
        if (!isCoin) {
            must(desc.srcToken, abi.encodeCall(Erc20.transferFrom, (msg.sender, desc.srcReceiver, desc.amount)));
        }
        uint256 held = balanceOf(desc.dstToken);
        Executor(executor_).callBytes{value: msg.value}(data);
        returnAmount = balanceOf(desc.dstToken) - held;
        spentAmount = desc.amount;
        if (returnAmount < desc.minReturnAmount) revert ReturnAmountIsNotEnough(returnAmount, desc.minReturnAmount);
        address payable receiver = desc.dstReceiver == address(0) ? payable(msg.sender) : desc.dstReceiver;
        if (desc.dstToken == NATIVE) {
            (bool paid,) = receiver.call{value: returnAmount}("");
            require(paid, "ETHTransferFailed");
        } else {
            must(desc.dstToken, abi.encodeCall(Erc20.transfer, (receiver, returnAmount)));
        }
    }

    function balanceOf(address token) private view returns (uint256) {
        return token == NATIVE ? address(this).balance : Erc20(token).balanceOf(address(this));
    }

    function must(address token, bytes memory call) private {
        (bool success, bytes memory answer) = token.call(call);
        require(success && (answer.length == 0 || abi.decode(answer, (bool))), "SafeTransferFailed");
    }
}
