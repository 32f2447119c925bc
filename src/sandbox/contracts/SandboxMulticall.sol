// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Asks many contracts in one call: of the interface of Multicall3 what readers use.
contract SandboxMulticall {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    error CallFailed(uint256 index);

    function getCurrentBlockTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 index; index < calls.length; ++index) {
            Call3 calldata one = calls[index];
            (bool success, bytes memory returnData) = one.target.call(one.callData);
            if (!success && !one.allowFailure) revert CallFailed(index);
            results[index] = Result(success, returnData);
        }
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }
}
