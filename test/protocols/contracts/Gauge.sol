// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Who pays rewards to the markets of Pendle, and is no part of them: nobody, here.
contract Gauge {
    address public immutable pendle;

    constructor(address token) {
        pendle = token;
    }

    function redeemMarketReward() external {}
}
