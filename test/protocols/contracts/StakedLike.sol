// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// One contract with the published interfaces of Rocket Pool (pool, storage and token), Stader, Lista and sAVAX, and of ether.fi and Frax
/// without their tickets. It is funded with coins to pay rewards. Requests become ready by a call or with time.
contract StakedLike is ERC20 {
    struct Request {
        address owner;
        uint256 units;
        uint256 amount;
        uint256 startedAt;
    }
    struct Withdrawal {
        uint256 uuid;
        uint256 amountInSnBnb;
        uint256 startTime;
    }
    struct Unlock {
        uint256 startedAt;
        uint256 shareAmount;
    }

    uint256 public rate = 1.1 ether;
    uint256 public nextRequestIdToFinalize = 1;
    bool public paused;
    bool public swallows;
    uint256 public cooldownPeriod = 15 days;
    uint256 public redeemPeriod = 2 days;
    uint256 public maxDeposit = 1000 ether;
    /// The fee of a deposit, in ten thousandths.
    uint256 public fee;
    address public elsewhere;
    Request[] internal requests;
    mapping(address => uint256[]) internal mine;

    event RequestRedeemed(address indexed sender, address recipient, uint256 ethTransferred);
    event Redeem(address indexed user, uint256 unlockRequestedAt, uint256 shareAmount, uint256 avaxAmount);

    constructor() ERC20("Staked", "sETH") {
        requests.push();
        elsewhere = address(this);
    }

    receive() external payable {}

    function set(uint256 rate_, bool paused_, bool swallows_, address elsewhere_) external {
        (rate, paused, swallows, elsewhere) = (rate_, paused_, swallows_, elsewhere_);
    }

    function keep(uint256 fee_) external {
        fee = fee_;
    }

    function finalize(uint256 next) external {
        nextRequestIdToFinalize = next;
    }

    function _stake(address to) internal returns (uint256 units) {
        require(!paused, "paused");
        units = (msg.value * 1 ether) / rate;
        _mint(to, units);
    }

    function _pay(uint256 amount) internal {
        if (swallows) return;
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent);
    }

    function _request(uint256 units, address owner) internal {
        _transfer(msg.sender, address(this), units);
        mine[owner].push(requests.length);
        requests.push(Request(owner, units, (units * rate) / 1 ether, block.timestamp));
    }

    function _drop(uint256 at) internal {
        uint256[] storage list = mine[msg.sender];
        list[at] = list[list.length - 1];
        list.pop();
    }

    // Rocket Pool, and reads that others share
    function getExchangeRate() external view returns (uint256) {
        return rate;
    }

    function getAddress(bytes32 key) external view returns (address) {
        require(key == keccak256(abi.encodePacked("contract.address", "rocketDepositPool")), "another key");
        return elsewhere;
    }

    function getMaximumDepositAmount() external view returns (uint256) {
        return maxDeposit;
    }

    function getTotalCollateral() external view returns (uint256) {
        return address(this).balance;
    }

    function deposit() external payable {
        _mint(msg.sender, ((msg.value - (msg.value * fee) / 10_000) * 1 ether) / rate);
    }

    function burn(uint256 units) external {
        _burn(msg.sender, units);
        _pay((units * rate) / 1 ether);
    }

    // ether.fi and Frax
    function getRate() external view returns (uint256) {
        return rate;
    }

    function pricePerShare() external view returns (uint256) {
        return rate;
    }

    function mintFrxEthPaused() external view returns (bool) {
        return paused;
    }

    function depositETHForWeETH(address) external payable returns (uint256 units) {
        units = _stake(address(this));
        _transfer(address(this), msg.sender, units);
    }

    function submitAndDeposit(address recipient) external payable returns (uint256) {
        return _stake(recipient);
    }

    // Stader
    function deposit(address receiver) external payable returns (uint256) {
        return _stake(receiver);
    }

    function requestWithdraw(uint256 units, address owner) external returns (uint256) {
        _spendAllowance(msg.sender, address(this), units);
        _request(units, owner);
        return requests.length - 1;
    }

    function getRequestIdsByUser(address owner) external view returns (uint256[] memory) {
        return mine[owner];
    }

    function userWithdrawRequests(uint256 id) external view returns (address, uint256, uint256, uint256, uint256) {
        Request storage r = requests[id];
        return (r.owner, r.units, r.amount, id < nextRequestIdToFinalize ? r.amount : 0, r.startedAt);
    }

    function claim(uint256 id) external {
        require(id < nextRequestIdToFinalize, "not finalized");
        require(requests[id].owner == msg.sender, "not yours");
        for (uint256 at = 0; at < mine[msg.sender].length; at++) if (mine[msg.sender][at] == id) _drop(at);
        emit RequestRedeemed(msg.sender, msg.sender, requests[id].amount);
        _pay(requests[id].amount);
    }

    // Lista
    function convertSnBnbToBnb(uint256 units) external view returns (uint256) {
        return (units * rate) / 1 ether;
    }

    function requestWithdraw(uint256 units) external {
        _spendAllowance(msg.sender, address(this), units);
        _request(units, msg.sender);
    }

    function getUserWithdrawalRequests(address owner) external view returns (Withdrawal[] memory list) {
        list = new Withdrawal[](mine[owner].length);
        for (uint256 at = 0; at < list.length; at++) {
            Request storage r = requests[mine[owner][at]];
            list[at] = Withdrawal(mine[owner][at], r.units, r.startedAt);
        }
    }

    function getUserRequestStatus(address owner, uint256 idx) external view returns (bool, uint256) {
        return (mine[owner][idx] < nextRequestIdToFinalize, requests[mine[owner][idx]].amount);
    }

    function claimWithdraw(uint256 idx) external {
        uint256 id = mine[msg.sender][idx];
        require(id < nextRequestIdToFinalize, "Not able to claim yet");
        _drop(idx);
        _pay(requests[id].amount);
    }

    // sAVAX
    function submit() external payable returns (uint256) {
        return _stake(msg.sender);
    }

    function getPooledAvaxByShares(uint256 units) external view returns (uint256) {
        return (units * rate) / 1 ether;
    }

    function requestUnlock(uint256 units) external {
        _request(units, msg.sender);
    }

    function getUnlockRequestCount(address owner) external view returns (uint256) {
        return mine[owner].length;
    }

    function _isReady(Request storage r) internal view returns (bool) {
        uint256 from = r.startedAt + cooldownPeriod;
        return from < block.timestamp && from + redeemPeriod >= block.timestamp;
    }

    function getPaginatedUnlockRequests(address owner, uint256 from, uint256 to)
        external
        view
        returns (Unlock[] memory list, uint256[] memory rates)
    {
        require(from < mine[owner].length, "From index out of bounds");
        list = new Unlock[](to - from);
        rates = new uint256[](to - from);
        for (uint256 at = from; at < to; at++) {
            Request storage r = requests[mine[owner][at]];
            list[at - from] = Unlock(r.startedAt, r.units);
            if (_isReady(r)) rates[at - from] = rate;
        }
    }

    function redeem() external {
        uint256 sum;
        for (uint256 at = 0; at < mine[msg.sender].length;) {
            Request storage r = requests[mine[msg.sender][at]];
            if (!_isReady(r)) {
                at++;
                continue;
            }
            sum += (r.units * rate) / 1 ether;
            emit Redeem(msg.sender, r.startedAt, r.units, (r.units * rate) / 1 ether);
            _drop(at);
        }
        _pay(sum);
    }

    function redeemOverdueShares() external {
        uint256 sum;
        for (uint256 at = 0; at < mine[msg.sender].length;) {
            Request storage r = requests[mine[msg.sender][at]];
            if (r.startedAt + cooldownPeriod + redeemPeriod >= block.timestamp) {
                at++;
                continue;
            }
            sum += r.units;
            _drop(at);
        }
        if (sum > 0 && !swallows) _transfer(address(this), msg.sender, sum);
    }
}
