// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Pays out the value of all shares but burns only a part of them, like a vault that redeems less than requested.
contract KeepingVault {
    IToken public immutable asset;
    uint256 public immutable kept;
    mapping(address => uint256) public balanceOf;

    constructor(IToken asset_, uint256 kept_) {
        asset = asset_;
        kept = kept_;
        balanceOf[msg.sender] = 1_000_000;
    }

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function previewRedeem(uint256 shares) external pure returns (uint256) {
        return shares;
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256) {
        balanceOf[owner] -= shares - kept;
        asset.transfer(receiver, shares);
        return shares;
    }
}
