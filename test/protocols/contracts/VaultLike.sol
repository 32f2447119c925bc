// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC4626, ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// OpenZeppelin's vault whose shares have twelve decimals more than its asset. Transfers to it are its earnings. It can report limits of
/// zero without enforcing them, hold back withdrawals, and redeem with a bound on the loss.
contract VaultLike is ERC4626 {
    bool public saysNothing;
    uint256 public idle = type(uint256).max;
    uint256 public lossBps;
    uint256 public ssr = 1000000001547125957863212448;

    constructor(address asset_) ERC20("Vault", "vUSDC") ERC4626(IERC20(asset_)) {}

    function set(bool says, uint256 out, uint256 loss) external {
        (saysNothing, idle, lossBps) = (says, out, loss);
    }

    function _decimalsOffset() internal pure override returns (uint8) {
        return 12;
    }

    function maxDeposit(address) public view override returns (uint256) {
        return saysNothing ? 0 : type(uint256).max;
    }

    function maxWithdraw(address owner) public view override returns (uint256) {
        uint256 held = super.maxWithdraw(owner);
        return saysNothing ? 0 : held < idle ? held : idle;
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        return saysNothing ? 0 : balanceOf(owner);
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        shares = previewDeposit(assets);
        _deposit(msg.sender, receiver, assets, shares);
    }

    function withdraw(uint256 assets, address receiver, address owner) public override returns (uint256 shares) {
        shares = previewWithdraw(assets);
        _withdraw(msg.sender, receiver, owner, assets, shares);
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256 assets) {
        assets = previewRedeem(shares);
        _withdraw(msg.sender, receiver, owner, assets, shares);
    }

    function withdraw(uint256 assets, address receiver, address owner, uint256 max_loss) external returns (uint256) {
        require(lossBps <= max_loss, "too much loss");
        return withdraw(assets, receiver, owner);
    }

    function redeem(uint256 shares, address receiver, address owner, uint256 max_loss) external returns (uint256) {
        require(lossBps <= max_loss, "too much loss");
        return redeem(shares, receiver, owner);
    }
}
