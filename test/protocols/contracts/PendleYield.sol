// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import "@openzeppelin/contracts/interfaces/IERC4626.sol";

/// A standardized yield token (EIP-5115) over a vault: what Pendle splits into principal and yield. Those are not in its package.
/// It also stands where markets ask for rewards, and has none.
contract PendleYield is ERC20 {
    using SafeERC20 for IERC20;

    IERC4626 public immutable yieldToken;
    IERC20 private immutable asset;
    /// What rewards of markets would be paid in.
    address public immutable pendle;

    constructor(IERC4626 vault, address rewards) ERC20("SY Test Vault", "SY-tVault") {
        yieldToken = vault;
        asset = IERC20(vault.asset());
        pendle = rewards;
        asset.forceApprove(address(vault), type(uint256).max);
    }

    function decimals() public view override returns (uint8) {
        return ERC20(address(yieldToken)).decimals();
    }

    function deposit(address receiver, address tokenIn, uint256 amount, uint256 least)
        external
        payable
        returns (uint256 shares)
    {
        IERC20(tokenIn).safeTransferFrom(msg.sender, address(this), amount);
        shares = tokenIn == address(asset) ? yieldToken.deposit(amount, address(this)) : amount;
        require(shares >= least, "too little");
        _mint(receiver, shares);
    }

    function redeem(address receiver, uint256 shares, address tokenOut, uint256 least, bool fromOwn)
        external
        returns (uint256 amount)
    {
        _burn(fromOwn ? address(this) : msg.sender, shares);
        if (tokenOut == address(asset)) {
            amount = yieldToken.redeem(shares, receiver, address(this));
        } else {
            amount = shares;
            IERC20(tokenOut).safeTransfer(receiver, shares);
        }
        require(amount >= least, "too little");
    }

    function exchangeRate() external view returns (uint256) {
        return yieldToken.convertToAssets(1e18);
    }

    function assetInfo() external view returns (uint8, address, uint8) {
        return (0, address(asset), ERC20(address(asset)).decimals());
    }

    function getTokensIn() public view returns (address[] memory all) {
        all = new address[](2);
        (all[0], all[1]) = (address(asset), address(yieldToken));
    }

    function getTokensOut() external view returns (address[] memory) {
        return getTokensIn();
    }

    function isValidTokenIn(address token) public view returns (bool) {
        return token == address(asset) || token == address(yieldToken);
    }

    function isValidTokenOut(address token) external view returns (bool) {
        return isValidTokenIn(token);
    }

    function previewDeposit(address tokenIn, uint256 amount) external view returns (uint256) {
        return tokenIn == address(asset) ? yieldToken.previewDeposit(amount) : amount;
    }

    function previewRedeem(address tokenOut, uint256 shares) external view returns (uint256) {
        return tokenOut == address(asset) ? yieldToken.previewRedeem(shares) : shares;
    }

    function getRewardTokens() external pure returns (address[] memory none) {}

    function rewardIndexesCurrent() external pure returns (uint256[] memory none) {}

    function rewardIndexesStored() external pure returns (uint256[] memory none) {}

    function accruedRewards(address) external pure returns (uint256[] memory none) {}

    function claimRewards(address) external pure returns (uint256[] memory none) {}

    function redeemMarketReward() external {}
}
