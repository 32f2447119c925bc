// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

interface IStEth {
    function submit(address referral) external payable returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function getPooledEthByShares(uint256 shares) external view returns (uint256);
    function getSharesByPooledEth(uint256 amount) external view returns (uint256);
}

/// Stands in for wstETH on the embedded chains, with its interface (lidofinance/core, WstETH.sol), and for the contract that stakes and
/// wraps in one call (WstethReferralStaker.sol).
contract SandboxWstEth is ERC20 {
    IStEth public immutable stETH;

    constructor(IStEth stETH_) ERC20("Sandbox wrapped staked Ether", "wstETH") {
        stETH = stETH_;
    }

    function stakeETH(address referral) external payable returns (uint256 shares) {
        shares = stETH.submit{value: msg.value}(referral);
        _mint(msg.sender, shares);
    }

    function wrap(uint256 amount) external returns (uint256 shares) {
        shares = stETH.getSharesByPooledEth(amount);
        _mint(msg.sender, shares);
        stETH.transferFrom(msg.sender, address(this), amount);
    }

    function unwrap(uint256 shares) external returns (uint256 amount) {
        amount = stETH.getPooledEthByShares(shares);
        _burn(msg.sender, shares);
        stETH.transfer(msg.sender, amount);
    }

    function getStETHByWstETH(uint256 shares) external view returns (uint256) {
        return stETH.getPooledEthByShares(shares);
    }

    function getWstETHByStETH(uint256 amount) external view returns (uint256) {
        return stETH.getSharesByPooledEth(amount);
    }

    function stEthPerToken() external view returns (uint256) {
        return stETH.getPooledEthByShares(1 ether);
    }
}
