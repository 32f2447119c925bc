// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Saved is ERC20 {
    constructor() ERC20("Savings USDS", "sUSDS") {
        _mint(msg.sender, 1_000_000 ether);
    }
}

/// The published interfaces of PSM3 and of its oracle in one contract. `cut` lowers the paid rate below that of the oracle, in basis points.
contract PsmLike {
    ERC20 public immutable usdc;
    ERC20 public immutable susds;
    uint256 public getConversionRate = 1.1e27;
    uint256 public getSSR = 1000000001547125957863212448;
    uint256 public cut;

    event Swap(
        address indexed assetIn,
        address indexed assetOut,
        address sender,
        address indexed receiver,
        uint256 amountIn,
        uint256 amountOut,
        uint256 referralCode
    );

    constructor(ERC20 asset) {
        usdc = asset;
        susds = new Saved();
    }

    function set(uint256 rate, uint256 cut_) external {
        (getConversionRate, cut) = (rate, cut_);
    }

    function totalAssets() external view returns (uint256) {
        return usdc.balanceOf(address(this)) * 1e12 + susds.balanceOf(address(this)) * getConversionRate / 1e27;
    }

    function previewSwapExactIn(address assetIn, address assetOut, uint256 amount) public view returns (uint256 out) {
        bool isIn = assetIn == address(usdc) && assetOut == address(susds);
        require(isIn || (assetIn == address(susds) && assetOut == address(usdc)), "invalid-asset");
        out = isIn ? amount * 1e12 * 1e27 / getConversionRate : amount * getConversionRate / 1e27 / 1e12;
        out = out * (10_000 - cut) / 10_000;
    }

    function swapExactIn(
        address assetIn,
        address assetOut,
        uint256 amountIn,
        uint256 minAmountOut,
        address receiver,
        uint256 referralCode
    ) external returns (uint256 out) {
        out = previewSwapExactIn(assetIn, assetOut, amountIn);
        require(out >= minAmountOut, "amountOut-too-low");
        ERC20(assetIn).transferFrom(msg.sender, address(this), amountIn);
        ERC20(assetOut).transfer(receiver, out);
        emit Swap(assetIn, assetOut, msg.sender, receiver, amountIn, out, referralCode);
    }
}
