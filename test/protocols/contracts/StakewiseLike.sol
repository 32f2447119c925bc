// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A StakeWise vault, its keeper and its registry with their published interfaces: shares without a token, an exit queue of shares that is
/// paid in parts, and a claim that moves the rest to a new ticket. It takes the native coin when the asset is the zero address.
contract StakewiseLike {
    struct Part {
        uint256 until;
        uint256 assets;
    }

    uint256 internal constant delay = 1 days;

    IERC20 public immutable asset;
    uint256 public totalShares;
    uint256 public totalAssets;
    uint256 public capacity = type(uint256).max;
    uint256 public queued;
    bool public behind;
    bool public young;
    bool public swallows;
    bool public unknown;
    Part[] internal parts;
    mapping(address => uint256) public getShares;
    mapping(bytes32 => uint256) internal requests;
    mapping(address => uint256) internal minted;

    error LowLtv();
    error NotHarvested();
    error CapacityExceeded();
    error ExitRequestNotProcessed();

    event Deposited(
        address indexed caller, address indexed receiver, uint256 assets, uint256 shares, address referrer
    );
    event ExitQueueEntered(address indexed owner, address indexed receiver, uint256 positionTicket, uint256 shares);
    event ExitedAssetsClaimed(
        address indexed receiver, uint256 prevPositionTicket, uint256 newPositionTicket, uint256 withdrawnAssets
    );
    event Migrated(address receiver, uint256 assets, uint256 shares);
    event FeeSharesMinted(address receiver, uint256 shares, uint256 assets);

    constructor(IERC20 asset_) {
        asset = asset_;
    }

    receive() external payable {}

    function set(uint256 rate, bool behind_, bool swallows_, address) external {
        totalAssets = (totalShares * rate) / 1 ether;
        (behind, swallows) = (behind_, swallows_);
    }

    function limit(uint256 capacity_, bool young_) external {
        (capacity, young) = (capacity_, young_);
    }

    /// Makes the registry deny the vault.
    function forget() external {
        unknown = true;
    }

    /// Marks shares as backing minted osTokens.
    function mint(uint256 shares) external {
        minted[msg.sender] = shares;
    }

    /// Gives shares that were migrated from an older vault.
    function migrate(address receiver, uint256 shares) external {
        emit Migrated(receiver, convertToAssets(shares), shares);
        _give(receiver, shares);
    }

    /// Gives shares that the vault pays as fees.
    function charge(address receiver, uint256 shares) external {
        emit FeeSharesMinted(receiver, shares, convertToAssets(shares));
        _give(receiver, shares);
    }

    function _give(address receiver, uint256 shares) internal {
        totalAssets += convertToAssets(shares);
        totalShares += shares;
        getShares[receiver] += shares;
    }

    /// Pays for this many queued shares, at most for all of them.
    function finalize(uint256 shares) external {
        if (shares > queued) shares = queued;
        uint256 assets = convertToAssets(shares);
        parts.push(Part(last() + shares, assets));
        (queued, totalShares, totalAssets) = (queued - shares, totalShares - shares, totalAssets - assets);
    }

    function vaultId() external view returns (bytes32) {
        return keccak256(address(asset) == address(0) ? bytes("EthGenesisVault") : bytes("GnoGenesisVault"));
    }

    function vaults(address vault) external view returns (bool) {
        return vault == address(this) && !unknown;
    }

    function isCollateralized(address) external view returns (bool) {
        return !young;
    }

    function isHarvestRequired(address) external view returns (bool) {
        return behind;
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return totalShares == 0 ? shares : (shares * totalAssets) / totalShares;
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return totalShares == 0 ? assets : (assets * totalShares) / totalAssets;
    }

    function deposit(address receiver, address referrer) external payable returns (uint256) {
        require(address(asset) == address(0), "a token");
        return _deposit(receiver, msg.value, referrer);
    }

    function deposit(uint256 assets, address receiver, address referrer) external returns (uint256) {
        require(asset.transferFrom(msg.sender, address(this), assets), "not paid");
        return _deposit(receiver, assets, referrer);
    }

    function _deposit(address receiver, uint256 assets, address referrer) internal returns (uint256 shares) {
        if (behind) revert NotHarvested();
        if (totalAssets + assets > capacity) revert CapacityExceeded();
        shares = totalShares == 0 ? assets : (assets * totalShares + totalAssets - 1) / totalAssets;
        (totalAssets, totalShares) = (totalAssets + assets, totalShares + shares);
        if (swallows) shares = 1;
        getShares[receiver] += shares;
        emit Deposited(msg.sender, receiver, assets, shares, referrer);
    }

    function last() internal view returns (uint256) {
        return parts.length == 0 ? 0 : parts[parts.length - 1].until;
    }

    function name(address owner, uint256 at, uint256 ticket) internal pure returns (bytes32) {
        return keccak256(abi.encode(owner, at, ticket));
    }

    function enterExitQueue(uint256 shares, address receiver) external returns (uint256 ticket) {
        require(shares > 0 && !young, "nothing to wait for");
        ticket = last() + queued;
        getShares[msg.sender] -= shares;
        if (minted[msg.sender] > 0 && behind) revert NotHarvested();
        if (getShares[msg.sender] < minted[msg.sender]) revert LowLtv();
        queued += shares;
        requests[name(receiver, block.timestamp, ticket)] = shares;
        emit ExitQueueEntered(msg.sender, receiver, ticket, shares);
    }

    function getExitQueueIndex(uint256 ticket) external view returns (int256) {
        for (uint256 at = 0; at < parts.length; at++) if (ticket < parts[at].until) return int256(at);
        return -1;
    }

    function calculateExitedAssets(address receiver, uint256 ticket, uint256 at, uint256 index)
        public
        view
        returns (uint256 left, uint256 exited, uint256 assets)
    {
        left = requests[name(receiver, at, ticket)];
        if (left == 0 || index >= parts.length) return (left, 0, 0);
        uint256 from = index == 0 ? 0 : parts[index - 1].until;
        require(from <= ticket && ticket < parts[index].until, "another checkpoint");
        for (; index < parts.length && left > 0; index++) {
            Part memory part = parts[index];
            uint256 start = ticket + exited;
            uint256 taken = part.until - start < left ? part.until - start : left;
            assets += (taken * part.assets) / (part.until - from);
            (exited, left, from) = (exited + taken, left - taken, part.until);
        }
    }

    function claimExitedAssets(uint256 ticket, uint256 at, uint256 index) external {
        (uint256 left, uint256 exited, uint256 assets) = calculateExitedAssets(msg.sender, ticket, at, index);
        if (block.timestamp < at + delay || assets == 0) revert ExitRequestNotProcessed();
        delete requests[name(msg.sender, at, ticket)];
        uint256 next = left == 0 ? 0 : ticket + exited;
        if (left > 0) requests[name(msg.sender, at, next)] = left;
        emit ExitedAssetsClaimed(msg.sender, ticket, next, assets);
        if (swallows) return;
        if (address(asset) != address(0)) {
            require(asset.transfer(msg.sender, assets), "not paid");
            return;
        }
        (bool sent,) = msg.sender.call{value: assets}("");
        require(sent);
    }
}
