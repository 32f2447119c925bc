// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Erc20 {
    function balanceOf(address owner) external view returns (uint256);
}

interface SpokePool {
    function deposit(
        bytes32 depositor,
        bytes32 recipient,
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 destinationChainId,
        bytes32 exclusiveRelayer,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityParameter,
        bytes calldata message
    ) external payable;
}

/// Stands in for LI.FI's diamond, whose bytecode no package ships: the interface of its swaps and of its deposits into Across, and what
/// they check. It has no list of the contracts that it calls.
contract SandboxLifiDiamond {
    struct SwapData {
        address callTo;
        address approveTo;
        address sendingAssetId;
        address receivingAssetId;
        uint256 fromAmount;
        bytes callData;
        bool requiresDeposit;
    }

    struct BridgeData {
        bytes32 transactionId;
        string bridge;
        string integrator;
        address referrer;
        address sendingAssetId;
        address receiver;
        uint256 minAmount;
        uint256 destinationChainId;
        bool hasSourceSwaps;
        bool hasDestinationCall;
    }

    struct AcrossV4Data {
        bytes32 receiverAddress;
        bytes32 refundAddress;
        bytes32 sendingAssetId;
        bytes32 receivingAssetId;
        uint256 outputAmount;
        uint128 outputAmountMultiplier;
        bytes32 exclusiveRelayer;
        uint32 quoteTimestamp;
        uint32 fillDeadline;
        uint32 exclusivityParameter;
        bytes message;
    }

    SpokePool private immutable pool;

    error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount);
    error InformationMismatch();
    error InvalidReceiver();

    event LiFiTransferStarted(BridgeData bridgeData);

    constructor(SpokePool pool_) {
        pool = pool_;
    }

    receive() external payable {}

    /// As a diamond says where a function is (ERC-2535).
    function facetAddress(bytes4) external view returns (address) {
        return address(this);
    }

    /// As LI.FI's fee collector: takes a fee out of the native coin and returns the rest. The diamond calls it on itself, so the rest is there.
    function collectNativeFees(address payable collector, uint256 fee) external payable {
        send(address(0), collector, fee);
    }

    function swapTokensSingleV3ERC20ToERC20(
        bytes32, string calldata, string calldata, address payable to, uint256 least, SwapData calldata swap
    ) external {
        single(swap, to, least, true);
    }

    function swapTokensSingleV3ERC20ToNative(
        bytes32, string calldata, string calldata, address payable to, uint256 least, SwapData calldata swap
    ) external {
        single(swap, to, least, true);
    }

    function swapTokensSingleV3NativeToERC20(
        bytes32, string calldata, string calldata, address payable to, uint256 least, SwapData calldata swap
    ) external payable {
        single(swap, to, least, false);
    }

    function swapTokensMultipleV3ERC20ToERC20(
        bytes32, string calldata, string calldata, address payable to, uint256 least, SwapData[] calldata swaps
    ) external {
        several(swaps, to, least, true);
    }

    function swapTokensMultipleV3ERC20ToNative(
        bytes32, string calldata, string calldata, address payable to, uint256 least, SwapData[] calldata swaps
    ) external {
        several(swaps, to, least, true);
    }

    function swapTokensMultipleV3NativeToERC20(
        bytes32, string calldata, string calldata, address payable to, uint256 least, SwapData[] calldata swaps
    ) external payable {
        several(swaps, to, least, false);
    }

    function startBridgeTokensViaAcrossV4(BridgeData calldata bridge, AcrossV4Data calldata across)
        external
        payable
    {
        if (bridge.hasSourceSwaps) revert InformationMismatch();
        must(
            bridge.sendingAssetId,
            abi.encodeWithSignature(
                "transferFrom(address,address,uint256)", msg.sender, address(this), bridge.minAmount
            )
        );
        deposit(bridge, across, bridge.minAmount, across.outputAmount);
    }

    function swapAndStartBridgeTokensViaAcrossV4(
        BridgeData calldata bridge, SwapData[] calldata swaps, AcrossV4Data calldata across
    ) external payable {
        if (!bridge.hasSourceSwaps) revert InformationMismatch();
        for (uint256 index; index < swaps.length; ++index) {
            if (swaps[index].requiresDeposit) take(swaps[index]);
        }
        for (uint256 index; index < swaps.length; ++index) execute(swaps[index], msg.sender);
        uint256 left = held(swaps[swaps.length - 1].receivingAssetId);
        if (left < bridge.minAmount) revert CumulativeSlippageTooHigh(bridge.minAmount, left);
        deposit(bridge, across, left, left * across.outputAmountMultiplier / 1e18);
    }

    function deposit(BridgeData calldata bridge, AcrossV4Data calldata across, uint256 input, uint256 output) private {
        if (across.message.length > 0 != bridge.hasDestinationCall) revert InformationMismatch();
        if (bytes32(uint256(uint160(bridge.receiver))) != across.receiverAddress) revert InvalidReceiver();
        approve(bridge.sendingAssetId, address(pool), input);
        pool.deposit(
            across.refundAddress,
            across.receiverAddress,
            across.sendingAssetId,
            across.receivingAssetId,
            input,
            output,
            bridge.destinationChainId,
            across.exclusiveRelayer,
            across.quoteTimestamp,
            across.fillDeadline,
            across.exclusivityParameter,
            across.message
        );
        emit LiFiTransferStarted(bridge);
    }

    function single(SwapData calldata swap, address to, uint256 least, bool takes) private {
        if (takes) take(swap);
        execute(swap, to);
        payOut(swap.receivingAssetId, to, least);
    }

    function several(SwapData[] calldata swaps, address to, uint256 least, bool takes) private {
        for (uint256 index; index < swaps.length; ++index) {
            if (takes && swaps[index].requiresDeposit) take(swaps[index]);
        }
        for (uint256 index; index < swaps.length; ++index) execute(swaps[index], to);
        payOut(swaps[swaps.length - 1].receivingAssetId, to, least);
    }

    function take(SwapData calldata swap) private {
        must(
            swap.sendingAssetId,
            abi.encodeWithSignature(
                "transferFrom(address,address,uint256)", msg.sender, address(this), swap.fromAmount
            )
        );
    }

    /// A step whose tokens stay the same pays a fee.
    function execute(SwapData calldata swap, address to) private {
        bool isCoin = swap.sendingAssetId == address(0);
        if (!isCoin) approve(swap.sendingAssetId, swap.approveTo, swap.fromAmount);
        (bool success, bytes memory answer) = swap.callTo.call{value: isCoin ? swap.fromAmount : 0}(swap.callData);
        if (!success) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        uint256 left = held(swap.sendingAssetId);
        if (swap.sendingAssetId != swap.receivingAssetId && left > (isCoin ? 0 : 1)) send(swap.sendingAssetId, to, left);
    }

    function payOut(address token, address to, uint256 least) private {
        uint256 amount = held(token);
        if (amount < least) revert CumulativeSlippageTooHigh(least, amount);
        send(token, to, amount);
    }

    function held(address token) private view returns (uint256) {
        return token == address(0) ? address(this).balance : Erc20(token).balanceOf(address(this));
    }

    function send(address token, address to, uint256 amount) private {
        if (token == address(0)) {
            (bool success,) = to.call{value: amount}("");
            require(success, "NativeAssetTransferFailed");
        } else {
            must(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        }
    }

    /// Some tokens approve only from zero.
    function approve(address token, address spender, uint256 amount) private {
        must(token, abi.encodeWithSignature("approve(address,uint256)", spender, 0));
        must(token, abi.encodeWithSignature("approve(address,uint256)", spender, amount));
    }

    function must(address token, bytes memory data) private {
        (bool success, bytes memory answer) = token.call(data);
        require(success && (answer.length == 0 || abi.decode(answer, (bool))), "TransferFailed");
    }
}
