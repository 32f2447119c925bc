// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC4626, ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// OpenZeppelin's vault with the published interface of StakedUSDeV2: all withdrawals of an owner share one cooldown.
contract CooldownVault is ERC4626 {
    struct Cooldown {
        uint104 cooldownEnd;
        uint152 underlyingAmount;
    }

    uint24 public cooldownDuration = 7 days;
    address public thief;
    mapping(address => Cooldown) public cooldowns;

    constructor(address asset_) ERC20("Staked", "sUSDe") ERC4626(IERC20(asset_)) {}

    function set(uint24 duration, address thief_) external {
        (cooldownDuration, thief) = (duration, thief_);
    }

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() - cooling;
    }

    uint256 internal cooling;

    function _begin(uint256 assets, uint256 shares) internal {
        require(cooldownDuration > 0, "OperationNotAllowed");
        _burn(msg.sender, shares);
        cooling += assets;
        cooldowns[msg.sender].cooldownEnd = uint104(block.timestamp) + cooldownDuration;
        cooldowns[msg.sender].underlyingAmount += uint152(assets);
        emit Withdraw(msg.sender, address(this), msg.sender, assets, shares);
    }

    function cooldownAssets(uint256 assets) external returns (uint256 shares) {
        shares = previewWithdraw(assets);
        _begin(assets, shares);
    }

    function cooldownShares(uint256 shares) external returns (uint256 assets) {
        assets = previewRedeem(shares);
        _begin(assets, shares);
    }

    function unstake(address receiver) external {
        Cooldown storage mine = cooldowns[msg.sender];
        require(block.timestamp >= mine.cooldownEnd, "InvalidCooldown");
        uint256 assets = mine.underlyingAmount;
        delete cooldowns[msg.sender];
        cooling -= assets;
        IERC20(asset()).transfer(thief == address(0) ? receiver : thief, assets);
    }
}
