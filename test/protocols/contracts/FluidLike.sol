// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC4626, ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

struct UserSupplyData {
    bool modeWithInterest;
    uint256 supply;
    uint256 withdrawalLimit;
    uint256 lastUpdateTimestamp;
    uint256 expandPercent;
    uint256 expandDuration;
    uint256 baseWithdrawalLimit;
    uint256 withdrawableUntilLimit;
    uint256 withdrawable;
}

struct FTokenDetails {
    address tokenAddress;
    bool eip2612Deposits;
    bool isNativeUnderlying;
    string name;
    string symbol;
    uint256 decimals;
    address asset;
    uint256 totalAssets;
    uint256 totalSupply;
    uint256 convertToShares;
    uint256 convertToAssets;
    uint256 rewardsRate;
    uint256 supplyRate;
    int256 rebalanceDifference;
    UserSupplyData liquidityUserSupplyData;
}

/// The published interfaces of a Fluid fToken and of the LendingResolver in one contract. Transfers to it are its earnings; it pays out at most `limit`.
contract FluidLike is ERC4626 {
    error FluidLendingError(uint256 errorId);

    uint256 public supplyRate = 312;
    uint256 public rewardsRate = 1.5e12;
    uint256 public limit = type(uint128).max;

    constructor(address asset_) ERC20("Fluid USDC", "fUSDC") ERC4626(IERC20(asset_)) {}

    function set(uint256 supplyRate_, uint256 rewardsRate_, uint256 limit_) external {
        (supplyRate, rewardsRate, limit) = (supplyRate_, rewardsRate_, limit_);
    }

    /// Removes assets, which lowers the price of a share.
    function lose(uint256 assets) external {
        IERC20(asset()).transfer(address(0xdead), assets);
    }

    function maxWithdraw(address owner) public view override returns (uint256) {
        uint256 held = super.maxWithdraw(owner);
        return held < limit ? held : limit;
    }

    function withdraw(uint256 assets, address receiver, address owner, uint256 maxSharesBurn)
        external
        returns (uint256 shares)
    {
        shares = withdraw(assets, receiver, owner);
        if (shares > maxSharesBurn) revert FluidLendingError(20003);
    }

    function getFTokenDetails(FluidLike fToken) external view returns (FTokenDetails memory details) {
        details.tokenAddress = address(fToken);
        details.name = fToken.name();
        details.symbol = fToken.symbol();
        details.decimals = fToken.decimals();
        details.asset = fToken.asset();
        details.totalAssets = fToken.totalAssets();
        details.totalSupply = fToken.totalSupply();
        details.rewardsRate = fToken.rewardsRate();
        details.supplyRate = fToken.supplyRate();
        details.liquidityUserSupplyData.withdrawable = fToken.limit();
    }
}
