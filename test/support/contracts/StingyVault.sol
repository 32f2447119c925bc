// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Token {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// A vault that reports the deposited value for its shares but pays out a given number of basis points less.
/// It can report preview and price, only the price, or neither.
contract StingyVault {
    Token public immutable asset;
    uint256 private immutable kept;
    uint256 private immutable says;
    mapping(address => uint256) public balanceOf;

    constructor(Token theAsset, uint256 tenThousandths, uint256 howMuchItSays) {
        asset = theAsset;
        kept = tenThousandths;
        says = howMuchItSays;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function previewDeposit(uint256 assets) external pure returns (uint256) {
        return assets;
    }

    function previewRedeem(uint256 shares) external view returns (uint256) {
        require(says == 2);
        return shares;
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        require(says > 0);
        return shares;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        asset.transferFrom(msg.sender, address(this), assets);
        balanceOf[receiver] += assets;
        return assets;
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        require(msg.sender == owner);
        balanceOf[owner] -= shares;
        assets = shares - (shares * kept) / 10_000;
        asset.transfer(receiver, assets);
    }
}
