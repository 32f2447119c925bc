// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {SandboxToken} from "./SandboxToken.sol";

/// A token with the approval habit of USDT: an allowance that is not zero must go to zero before it gets a new value.
contract SandboxUsdt is SandboxToken {
    error ApproveFromNonZeroToNonZero(uint256 current, uint256 wanted);

    constructor(string memory name_, string memory symbol_, uint8 decimals_) SandboxToken(name_, symbol_, decimals_) {}

    function approve(address spender, uint256 value) public override returns (bool) {
        uint256 current = allowance(msg.sender, spender);
        if (value != 0 && current != 0) revert ApproveFromNonZeroToNonZero(current, value);
        return super.approve(spender, value);
    }
}
