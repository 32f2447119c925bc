// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Erc20 {
    function balanceOf(address owner) external view returns (uint256);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface Executor {
    function callBytes(bytes calldata data) external payable;
}

/// Stands in for KyberSwap's MetaAggregationRouterV2, whose bytecode no package ships: its interface and its order of checks for a swap
/// without permits. It pays fees in units of the input out of the amount, hands the rest to an executor and compares what the recipient got with the minimum.
contract SandboxAggregationRouter {
    struct SwapDescriptionV2 {
        address srcToken;
        address dstToken;
        address[] srcReceivers;
        uint256[] srcAmounts;
        address[] feeReceivers;
        uint256[] feeAmounts;
        address dstReceiver;
        uint256 amount;
        uint256 minReturnAmount;
        uint256 flags;
        bytes permit;
    }

    struct SwapExecutionParams {
        address callTarget;
        address approveTarget;
        bytes targetData;
        SwapDescriptionV2 desc;
        bytes clientData;
    }

    uint256 private constant FEE_ON_DST = 0x40;
    uint256 private constant FEE_IN_BPS = 0x80;
    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    address public immutable WETH;
    /// The executor that the sandbox's own service names in its routes.
    address public immutable executor;

    event Swapped(
        address sender,
        address srcToken,
        address dstToken,
        address dstReceiver,
        uint256 spentAmount,
        uint256 returnAmount
    );

    constructor(address weth, address executor_) {
        WETH = weth;
        executor = executor_;
    }

    function swap(SwapExecutionParams calldata execution)
        external
        payable
        returns (uint256 returnAmount, uint256 gasUsed)
    {
        uint256 gasBefore = gasleft();
        SwapDescriptionV2 calldata desc = execution.desc;
        require(desc.minReturnAmount > 0, "Min return should not be 0");
        require(execution.targetData.length > 0, "executorData should be not zero");
        require(msg.value == (desc.srcToken == NATIVE ? desc.amount : 0), "Invalid msg.value");
        require(desc.srcReceivers.length == desc.srcAmounts.length, "invalid srcReceivers length");
        address receiver = desc.dstReceiver == address(0) ? msg.sender : desc.dstReceiver;
        uint256 held = balanceOf(desc.dstToken, receiver);
        uint256 left = desc.amount - payFees(desc);
        uint256 total;
        for (uint256 index; index < desc.srcReceivers.length; ++index) {
            total += desc.srcAmounts[index];
            take(desc.srcToken, desc.srcReceivers[index], desc.srcAmounts[index]);
        }
        require(total <= left, "Exceeded desc.amount");
        (bool success,) = execution.callTarget.call{value: desc.srcToken == NATIVE ? left : 0}(
            abi.encodeCall(Executor.callBytes, (execution.targetData))
        );
        require(success, "Call failed");
        returnAmount = balanceOf(desc.dstToken, receiver) - held;
        require(returnAmount >= desc.minReturnAmount, "Return amount is not enough");
        emit Swapped(msg.sender, desc.srcToken, desc.dstToken, receiver, desc.amount, returnAmount);
        gasUsed = gasBefore - gasleft();
    }

    function payFees(SwapDescriptionV2 calldata desc) private returns (uint256 total) {
        require(desc.feeReceivers.length == desc.feeAmounts.length, "invalid feeReceivers length");
        if (desc.feeReceivers.length == 0) return 0;
        require(desc.flags & (FEE_ON_DST | FEE_IN_BPS) == 0, "not in the sandbox");
        for (uint256 index; index < desc.feeReceivers.length; ++index) {
            total += desc.feeAmounts[index];
            if (desc.srcToken == NATIVE) {
                (bool success,) = desc.feeReceivers[index].call{value: desc.feeAmounts[index]}("");
                require(success, "TransferHelper: ETH_TRANSFER_FAILED");
            } else {
                take(desc.srcToken, desc.feeReceivers[index], desc.feeAmounts[index]);
            }
        }
    }

    function balanceOf(address token, address owner) private view returns (uint256) {
        return token == NATIVE ? owner.balance : Erc20(token).balanceOf(owner);
    }

    function take(address token, address to, uint256 amount) private {
        (bool success, bytes memory answer) =
            token.call(abi.encodeCall(Erc20.transferFrom, (msg.sender, to, amount)));
        require(success && (answer.length == 0 || abi.decode(answer, (bool))), "TransferHelper: TRANSFER_FROM_FAILED");
    }
}
