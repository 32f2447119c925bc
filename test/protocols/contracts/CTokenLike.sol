// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Token {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
}

/// The published interface of Compound v2 forks: market, comptroller and router of the native coin in one contract.
/// Without an asset it takes the native coin. While it is "busy", it refuses calls by returning an error code.
contract CTokenLike {
    event Transfer(address indexed from, address indexed to, uint256 amount);

    Token immutable asset;
    uint256 rate;
    uint256 last = block.timestamp;
    uint256 public supplyRatePerTimestamp = 1_547_125_956;
    uint256 public totalBorrows;
    uint256 public totalReserves;
    bool public busy;
    bool[2] paused;
    bool hasCaps;
    uint256 cap;
    mapping(address => uint256) public balanceOf;

    constructor(address asset_, uint256 rate_) payable {
        (asset, rate) = (Token(asset_), rate_);
    }

    receive() external payable {}

    function set(bool busy_, bool mints, bool redeems) external {
        (busy, paused[0], paused[1]) = (busy_, mints, redeems);
    }

    /// Before this call the market has no caps, like Benqi.
    function limit(uint256 cap_) external {
        (hasCaps, cap) = (true, cap_);
    }

    function supplyCaps(address) external view returns (uint256) {
        require(hasCaps);
        return cap;
    }

    function markets(address) external pure returns (bool, uint256) {
        return (true, 0.8e18);
    }

    function mintGuardianPaused(address) external view returns (bool) {
        return paused[0];
    }

    function actionPaused(address, uint8 action) external view returns (bool) {
        return paused[action];
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function exchangeRateCurrent() public returns (uint256) {
        rate += rate * supplyRatePerTimestamp * (block.timestamp - last) / 1e18;
        last = block.timestamp;
        return rate;
    }

    function getCash() public view returns (uint256) {
        return address(asset) == address(0) ? address(this).balance : asset.balanceOf(address(this));
    }

    function give(address to, uint256 amount) private {
        uint256 now_ = exchangeRateCurrent();
        uint256 tokens = amount * 1e18 / now_;
        balanceOf[to] += tokens;
        emit Transfer(address(this), to, tokens);
    }

    function mint(uint256 amount) external returns (uint256) {
        if (busy) return 9;
        require(cap == 0 || getCash() + totalBorrows - totalReserves + amount < cap, "market supply cap reached");
        asset.transferFrom(msg.sender, address(this), amount);
        give(msg.sender, amount);
        return 0;
    }

    function mint() external payable {
        give(msg.sender, msg.value);
    }

    function mint(address recipient) external payable {
        give(recipient, msg.value);
    }

    function take(uint256 tokens, uint256 amount) private returns (uint256) {
        if (busy) return 9;
        balanceOf[msg.sender] -= tokens;
        emit Transfer(msg.sender, address(this), tokens);
        if (address(asset) == address(0)) payable(msg.sender).transfer(amount);
        else asset.transfer(msg.sender, amount);
        return 0;
    }

    function redeem(uint256 tokens) external returns (uint256) {
        uint256 now_ = exchangeRateCurrent();
        return take(tokens, tokens * now_ / 1e18);
    }

    function redeemUnderlying(uint256 amount) external returns (uint256) {
        uint256 now_ = exchangeRateCurrent();
        return take((amount * 1e18 + now_ - 1) / now_, amount);
    }

    function transfer(address to, uint256 tokens) external returns (bool) {
        balanceOf[msg.sender] -= tokens;
        balanceOf[to] += tokens;
        emit Transfer(msg.sender, to, tokens);
        return true;
    }
}
