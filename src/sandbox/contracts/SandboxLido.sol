// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface ISandboxLidoQueue {
    function finalize() external returns (uint256 toBurn, uint256 toLock);
    function settle() external payable;
}

/// Stands in for stETH on the embedded chains, with the interface of Lido (lidofinance/core, Lido.sol and StETH.sol): shares that do not
/// grow, and balances that do. Nobody stakes here: `report`, which anybody may call, pays 3 % a year out of what the contract was given,
/// and pays for the requests of the queue that are a day old, as the oracle of Lido does once a day.
contract SandboxLido {
    string public constant name = "Sandbox staked Ether";
    string public constant symbol = "stETH";
    uint8 public constant decimals = 18;
    uint256 public constant YEARLY_BPS = 300;
    uint256 internal constant STAKE_LIMIT = 150_000 ether;

    address public immutable owner;
    ISandboxLidoQueue public queue;
    uint256 public getTotalShares;
    uint256 public getTotalPooledEther;
    uint256 public reportedAt;
    bool public isStakingPaused;
    mapping(address => uint256) public sharesOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event TransferShares(address indexed from, address indexed to, uint256 sharesValue);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Submitted(address indexed sender, uint256 amount, address referral);
    event TokenRebased(
        uint256 indexed reportTimestamp,
        uint256 timeElapsed,
        uint256 preTotalShares,
        uint256 preTotalEther,
        uint256 postTotalShares,
        uint256 postTotalEther,
        uint256 sharesMintedAsFees
    );

    /// What comes with the deployment is what rewards are paid from; a part of it is staked, so that a share always has a worth.
    constructor() payable {
        owner = msg.sender;
        reportedAt = block.timestamp;
        getTotalPooledEther = 10_000 ether;
        _mint(msg.sender, 10_000 ether);
    }

    function setQueue(ISandboxLidoQueue queue_) external {
        require(msg.sender == owner && address(queue) == address(0), "APP_AUTH_FAILED");
        queue = queue_;
    }

    function setStakingPaused(bool paused) external {
        require(msg.sender == owner, "APP_AUTH_FAILED");
        isStakingPaused = paused;
    }

    function getCurrentStakeLimit() external view returns (uint256) {
        return isStakingPaused ? 0 : STAKE_LIMIT;
    }

    function submit(address referral) external payable returns (uint256 shares) {
        require(msg.value != 0, "ZERO_DEPOSIT");
        require(!isStakingPaused, "STAKING_PAUSED");
        require(msg.value <= STAKE_LIMIT, "STAKE_LIMIT");
        shares = getSharesByPooledEth(msg.value);
        getTotalPooledEther += msg.value;
        _mint(msg.sender, shares);
        emit Submitted(msg.sender, msg.value, referral);
    }

    function report() external {
        uint256 elapsed = block.timestamp - reportedAt;
        reportedAt = block.timestamp;
        uint256 before = getTotalPooledEther;
        uint256 reward = (before * YEARLY_BPS * elapsed) / (365 days * 10_000);
        uint256 spare = address(this).balance - before;
        getTotalPooledEther = before + (reward < spare ? reward : spare);
        emit TokenRebased(block.timestamp, elapsed, getTotalShares, before, getTotalShares, getTotalPooledEther, 0);
        (uint256 toBurn, uint256 toLock) = queue.finalize();
        if (toLock == 0) return;
        sharesOf[address(queue)] -= toBurn;
        getTotalShares -= toBurn;
        getTotalPooledEther -= toLock;
        queue.settle{value: toLock}();
    }

    function totalSupply() external view returns (uint256) {
        return getTotalPooledEther;
    }

    function balanceOf(address account) public view returns (uint256) {
        return getPooledEthByShares(sharesOf[account]);
    }

    function getPooledEthByShares(uint256 shares) public view returns (uint256) {
        return (shares * getTotalPooledEther) / getTotalShares;
    }

    function getSharesByPooledEth(uint256 amount) public view returns (uint256) {
        return (amount * getTotalShares) / getTotalPooledEther;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _transfer(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            require(allowed >= amount, "ALLOWANCE_EXCEEDED");
            allowance[from][msg.sender] = allowed - amount;
        }
        _transfer(from, to, amount);
        return true;
    }

    function _transfer(address from, address to, uint256 amount) internal {
        uint256 shares = getSharesByPooledEth(amount);
        require(sharesOf[from] >= shares, "BALANCE_EXCEEDED");
        sharesOf[from] -= shares;
        sharesOf[to] += shares;
        emit Transfer(from, to, amount);
        emit TransferShares(from, to, shares);
    }

    function _mint(address to, uint256 shares) internal {
        getTotalShares += shares;
        sharesOf[to] += shares;
        emit Transfer(address(0), to, getPooledEthByShares(shares));
        emit TransferShares(address(0), to, shares);
    }
}
