// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Stands in for Relay's depository, whose bytecode no package ships: its deposits, their events and its name. What was deposited stays
/// in it: the sandbox's solver pays out of its own funds, and nobody settles with it.
contract SandboxRelayDepository {
    error TransferFromFailed();

    event RelayNativeDeposit(address from, uint256 amount, bytes32 id);
    event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id);

    /// As EIP-5267 has it.
    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (hex"0f", "RelayDepository", "1", block.chainid, address(this), 0, new uint256[](0));
    }

    function depositNative(address depositor, bytes32 id) external payable {
        emit RelayNativeDeposit(depositor == address(0) ? msg.sender : depositor, msg.value, id);
    }

    function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external {
        (bool success, bytes memory answer) = token.call(
            abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, address(this), amount)
        );
        if (!success || (answer.length > 0 && !abi.decode(answer, (bool)))) revert TransferFromFailed();
        emit RelayErc20Deposit(depositor == address(0) ? msg.sender : depositor, token, amount, id);
    }
}
