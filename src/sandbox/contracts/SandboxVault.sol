// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface ILendingPool {
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external;
    function withdraw(address asset, uint256 amount, address to) external returns (uint256);
}

/// An ERC-4626 vault that lends what it holds on an Aave v3 pool. It takes deposits up to a cap, and none while paused;
/// withdrawals are always open.
contract SandboxVault is ERC4626, Ownable {
    using SafeERC20 for IERC20;

    ILendingPool public immutable pool;
    IERC20 public immutable aToken;
    uint256 public cap;
    bool public paused;

    event CapSet(uint256 cap);
    event PausedSet(bool paused);

    constructor(IERC20 asset_, ILendingPool pool_, IERC20 aToken_, string memory name_, string memory symbol_, uint256 cap_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
        Ownable(msg.sender)
    {
        pool = pool_;
        aToken = aToken_;
        cap = cap_;
        asset_.forceApprove(address(pool_), type(uint256).max);
    }

    function setCap(uint256 cap_) external onlyOwner {
        cap = cap_;
        emit CapSet(cap_);
    }

    function setPaused(bool paused_) external onlyOwner {
        paused = paused_;
        emit PausedSet(paused_);
    }

    function totalAssets() public view override returns (uint256) {
        return aToken.balanceOf(address(this));
    }

    function maxDeposit(address) public view override returns (uint256) {
        if (paused) return 0;
        if (cap == type(uint256).max) return cap;
        uint256 held = totalAssets();
        return held >= cap ? 0 : cap - held;
    }

    function maxMint(address receiver) public view override returns (uint256) {
        uint256 assets = maxDeposit(receiver);
        return assets == type(uint256).max ? assets : convertToShares(assets);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        pool.supply(asset(), assets, address(this), 0);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        pool.withdraw(asset(), assets, address(this));
        super._withdraw(caller, receiver, owner, assets, shares);
    }
}
