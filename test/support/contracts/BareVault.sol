// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// An ERC-4626 vault without protection against donations, which can raise the price of one share without limit.
contract BareVault {
    IToken public immutable asset;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(IToken asset_) {
        asset = asset_;
    }

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        return totalSupply == 0 ? assets : (assets * totalSupply) / asset.balanceOf(address(this));
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = previewDeposit(assets);
        asset.transferFrom(msg.sender, address(this), assets);
        totalSupply += shares;
        balanceOf[receiver] += shares;
    }
}
