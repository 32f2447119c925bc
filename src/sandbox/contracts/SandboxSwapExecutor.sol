// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Swaps what it was handed through the routers that it is told, each for a part of it: what an executor of an aggregator does.
contract SandboxSwapExecutor {
    struct Part {
        address router;
        uint256 amount;
        bytes call;
    }

    /// `data` is the input token (zero for the native coin) and the parts.
    function callBytes(bytes calldata data) external payable {
        (address token, Part[] memory parts) = abi.decode(data, (address, Part[]));
        for (uint256 index; index < parts.length; ++index) {
            Part memory part = parts[index];
            if (token != address(0)) {
                (bool approved,) =
                    token.call(abi.encodeWithSignature("approve(address,uint256)", part.router, part.amount));
                require(approved, "approve failed");
            }
            (bool swapped,) = part.router.call{value: token == address(0) ? part.amount : 0}(part.call);
            require(swapped, "swap failed");
        }
    }
}
