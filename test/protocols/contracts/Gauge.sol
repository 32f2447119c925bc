// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// The contract that pays rewards to Pendle markets; this one pays none.
contract Gauge {
    address public immutable pendle;

    constructor(address token) {
        pendle = token;
    }

    function redeemMarketReward() external {}
}
