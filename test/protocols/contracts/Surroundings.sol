// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// What protocols are told by others, and is no part of them: prices that somebody sets, and that everybody may configure.
contract Surroundings {
    mapping(address => uint256) public getUnderlyingPrice;
    /// The price that a lending market of Morpho asks for: of one collateral, with 36 digits.
    uint256 public price;

    function set(address market, uint256 worth) external {
        getUnderlyingPrice[market] = worth;
    }

    function setPrice(uint256 worth) external {
        price = worth;
    }

    function getBoundedPricesView(address market) external view returns (uint256, uint256) {
        return (getUnderlyingPrice[market], getUnderlyingPrice[market]);
    }

    function updatePrice(address) external {}

    function updateProtectionState(address) external {}

    function isAllowedToCall(address, string calldata) external pure returns (bool) {
        return true;
    }
}
