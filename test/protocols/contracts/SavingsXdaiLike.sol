// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// The published interfaces of savings xDAI and of its adapter in one contract, which is funded with coins to pay its earnings.
contract SavingsXdaiLike is ERC20 {
    uint256 public rate = 1.2 ether;
    uint256 public room = type(uint256).max;
    address public immutable asset;

    constructor(address wrapped) ERC20("Savings xDAI", "sDAI") {
        asset = wrapped;
    }

    function sDAI() external view returns (address) {
        return address(this);
    }

    function wxdai() external view returns (address) {
        return asset;
    }

    receive() external payable {}

    function set(uint256 rate_, uint256 room_) external {
        (rate, room) = (rate_, room_);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * rate / 1 ether;
    }

    function maxDeposit(address) external view returns (uint256) {
        return room;
    }

    function depositXDAI(address receiver) external payable returns (uint256 shares) {
        shares = msg.value * 1 ether / rate;
        _mint(receiver, shares);
    }

    function redeemXDAI(uint256 shares, address receiver) external payable returns (uint256 assets) {
        _spendAllowance(msg.sender, address(this), shares);
        _burn(msg.sender, shares);
        assets = convertToAssets(shares);
        payable(receiver).transfer(assets);
    }
}
