// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Token {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
}

/// The published interface of Compound v3 for lenders, to be called by its ABI.
/// A withdrawal above the supplied balance borrows.
contract CometLike {
    struct TotalsBasic {
        uint64 baseSupplyIndex;
        uint64 baseBorrowIndex;
        uint64 trackingSupplyIndex;
        uint64 trackingBorrowIndex;
        uint104 totalSupplyBase;
        uint104 totalBorrowBase;
        uint40 lastAccrualTime;
        uint8 pauseFlags;
    }

    struct AssetInfo {
        uint8 offset;
        address asset;
        address priceFeed;
        uint64 scale;
        uint64 borrowCollateralFactor;
        uint64 liquidateCollateralFactor;
        uint64 liquidationFactor;
        uint128 supplyCap;
    }

    event Supply(address indexed from, address indexed dst, uint256 amount);
    event Withdraw(address indexed src, address indexed to, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 amount);

    address public immutable baseToken;
    uint256 public supplyKink = 0.8e18;
    uint256 public supplyPerSecondInterestRateBase = 100_000_000;
    uint256 public supplyPerSecondInterestRateSlopeLow = 1_030_568_239;
    uint256 public supplyPerSecondInterestRateSlopeHigh = 12_683_916_793;
    uint256 public getUtilization = 0.9e18;
    bool public isSupplyPaused;
    bool public isWithdrawPaused;
    uint64 index = 1e15;
    uint40 last = uint40(block.timestamp);
    uint104 supplied;
    mapping(address => uint104) principal;
    mapping(address => uint256) public borrowBalanceOf;

    AssetInfo[] infos;
    address public baseTokenPriceFeed = address(0xBA5E);
    mapping(address => uint256) public getPrice;
    mapping(address => mapping(address => uint128)) public collateralBalanceOf;
    uint256 public borrowKink = 0.8e18;
    uint256 public borrowPerSecondInterestRateBase = 475_646_879;
    uint256 public borrowPerSecondInterestRateSlopeLow = 1_030_568_239;
    uint256 public borrowPerSecondInterestRateSlopeHigh = 107_813_292_744;

    function list(address asset, address feed, uint64 scale, uint64 borrowFactor, uint64 liquidateFactor) external {
        infos.push(AssetInfo(uint8(infos.length), asset, feed, scale, borrowFactor, liquidateFactor, 0.93e18, type(uint128).max));
    }

    function amend(uint8 i, address feed, uint64 borrowFactor, uint64 liquidateFactor) external {
        AssetInfo storage info = infos[i];
        (info.priceFeed, info.borrowCollateralFactor, info.liquidateCollateralFactor) = (feed, borrowFactor, liquidateFactor);
    }

    function setPrice(address feed, uint256 price) external {
        getPrice[feed] = price;
    }

    function getAssetInfo(uint8 i) external view returns (AssetInfo memory) {
        require(i < infos.length, "BadAsset");
        return infos[i];
    }

    constructor(address base) {
        baseToken = base;
    }

    /// Restores the state between deployment and initialization.
    function uninitialize() external {
        (index, last) = (0, 0);
    }

    function initializeStorage() external {
        require(last == 0, "AlreadyInitialized");
        (index, last) = (1e15, uint40(block.timestamp));
    }

    function set(uint256 utilization, bool noSupply, bool noWithdraw) external {
        accrue();
        (getUtilization, isSupplyPaused, isWithdrawPaused) = (utilization, noSupply, noWithdraw);
    }

    function getSupplyRate(uint256 u) public view returns (uint64) {
        uint256 low = supplyPerSecondInterestRateSlopeLow;
        if (u <= supplyKink) return uint64(supplyPerSecondInterestRateBase + low * u / 1e18);
        uint256 high = supplyPerSecondInterestRateSlopeHigh * (u - supplyKink) / 1e18;
        return uint64(supplyPerSecondInterestRateBase + low * supplyKink / 1e18 + high);
    }

    function indexNow() public view returns (uint64) {
        uint256 rate = getSupplyRate(getUtilization) * (block.timestamp - last);
        return uint64(index + uint256(index) * rate / 1e18);
    }

    function totalsBasic() external view returns (TotalsBasic memory) {
        return TotalsBasic(index, 0, 0, 0, supplied, 0, last, 0);
    }

    function totalSupply() external view returns (uint256) {
        return uint256(supplied) * indexNow() / 1e15;
    }

    function balanceOf(address owner) public view returns (uint256) {
        return uint256(principal[owner]) * indexNow() / 1e15;
    }

    function userBasic(address owner) external view returns (int104, uint64, uint64, uint16, uint8) {
        int104 owed = int104(uint104(borrowBalanceOf[owner]));
        return (owed > 0 ? -owed : int104(principal[owner]), 0, 0, 0, 0);
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function accrue() public {
        (index, last) = (indexNow(), uint40(block.timestamp));
    }

    function change(address who, uint256 balance) private returns (uint256 moved) {
        uint104 before = principal[who];
        uint104 next = uint104(balance * 1e15 / index);
        principal[who] = next;
        supplied = supplied + next - before;
        moved = uint256(next > before ? next - before : before - next) * index / 1e15;
    }

    /// Accepts the caller only: no account has allowed a manager here.
    function supplyFrom(address from, address dst, address asset, uint256 amount) external {
        require(from == msg.sender && dst == msg.sender, "Unauthorized");
        supply(asset, amount);
    }

    function withdrawFrom(address src, address to, address asset, uint256 amount) external {
        require(src == msg.sender && to == msg.sender, "Unauthorized");
        withdraw(asset, amount);
    }

    function supply(address asset, uint256 amount) public {
        require(!isSupplyPaused, "paused");
        if (asset != baseToken) {
            Token(asset).transferFrom(msg.sender, address(this), amount);
            collateralBalanceOf[msg.sender][asset] += uint128(amount);
            return;
        }
        accrue();
        Token(asset).transferFrom(msg.sender, address(this), amount);
        uint256 owed = borrowBalanceOf[msg.sender];
        uint256 paid = amount < owed ? amount : owed;
        borrowBalanceOf[msg.sender] = owed - paid;
        uint256 moved = change(msg.sender, balanceOf(msg.sender) + amount - paid);
        emit Supply(msg.sender, msg.sender, amount);
        emit Transfer(address(0), msg.sender, moved);
    }

    function withdraw(address asset, uint256 amount) public {
        require(!isWithdrawPaused && asset == baseToken, "paused");
        accrue();
        uint256 held = balanceOf(msg.sender);
        if (amount == type(uint256).max) amount = held;
        if (amount > held) borrowBalanceOf[msg.sender] += amount - held;
        uint256 moved = change(msg.sender, amount > held ? 0 : held - amount);
        Token(asset).transfer(msg.sender, amount);
        emit Withdraw(msg.sender, msg.sender, amount);
        if (moved > 0) emit Transfer(msg.sender, address(0), moved);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        accrue();
        uint256 gone = change(msg.sender, balanceOf(msg.sender) - amount);
        uint256 come = change(to, balanceOf(to) + amount);
        emit Transfer(msg.sender, address(0), gone);
        emit Transfer(address(0), to, come);
        return true;
    }
}
