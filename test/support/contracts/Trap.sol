// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface ISpender {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// Hostile behaviour of a contract towards its caller.
contract Trap {
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    function sayApproval(address spender, uint256 value) external {
        emit Approval(msg.sender, spender, value);
    }

    function sayApprovalForAll(address operator, bool approved) external {
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function failAfter(uint256 time) external view {
        require(block.timestamp <= time, "too late");
    }

    function failAfterBlock(uint256 number) external view {
        require(block.number <= number, "too high");
    }

    function take(ISpender token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
    }

    function nothing() external {}
}
