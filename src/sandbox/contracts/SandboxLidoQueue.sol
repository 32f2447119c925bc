// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IQueuedStEth {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function getPooledEthByShares(uint256 shares) external view returns (uint256);
    function getSharesByPooledEth(uint256 amount) external view returns (uint256);
}

interface IWrappedStEth {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function unwrap(uint256 shares) external returns (uint256);
}

/// Stands in for the withdrawal queue of Lido on the embedded chains, with its interface (lidofinance/core, WithdrawalQueueERC721.sol):
/// requests in order, finalized from the oldest on when they are a day old, claimed with hints by their owner. Tickets do not move.
contract SandboxLidoQueue {
    string public constant name = "Sandbox stETH Withdrawal NFT";
    string public constant symbol = "unstETH";
    uint256 public constant MIN_STETH_WITHDRAWAL_AMOUNT = 100;
    uint256 public constant MAX_STETH_WITHDRAWAL_AMOUNT = 1000 ether;
    uint256 internal constant WAIT = 1 days;

    struct Request {
        uint256 amount;
        uint256 shares;
        address owner;
        uint256 timestamp;
        bool claimed;
    }

    struct WithdrawalRequestStatus {
        uint256 amountOfStETH;
        uint256 amountOfShares;
        address owner;
        uint256 timestamp;
        bool isFinalized;
        bool isClaimed;
    }

    /// From this request on, a share pays at most so much, scaled by 1e27.
    struct Checkpoint {
        uint256 fromRequestId;
        uint256 maxShareRate;
    }

    address public immutable owner;
    IQueuedStEth public immutable STETH;
    IWrappedStEth public immutable WSTETH;
    bool public isPaused;
    uint256 public getLastFinalizedRequestId;
    Request[] internal requests;
    Checkpoint[] internal checkpoints;
    mapping(address => uint256[]) internal open;

    event WithdrawalRequested(
        uint256 indexed requestId, address indexed requestor, address indexed owner, uint256 amountOfStETH, uint256 amountOfShares
    );
    event WithdrawalClaimed(uint256 indexed requestId, address indexed owner, address indexed receiver, uint256 amountOfETH);
    event Transfer(address indexed from, address indexed to, uint256 indexed requestId);

    error ResumedExpected();
    error RequestAmountTooSmall(uint256 amount);
    error RequestAmountTooLarge(uint256 amount);
    error InvalidRequestId(uint256 requestId);
    error RequestNotFoundOrNotFinalized(uint256 requestId);
    error RequestAlreadyClaimed(uint256 requestId);
    error NotOwner(address sender, address owner);
    error InvalidHint(uint256 hint);
    error ArraysLengthMismatch(uint256 first, uint256 second);

    constructor(IQueuedStEth stETH, IWrappedStEth wstETH) {
        owner = msg.sender;
        STETH = stETH;
        WSTETH = wstETH;
        requests.push();
        checkpoints.push();
    }

    function setPaused(bool paused) external {
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);
        isPaused = paused;
    }

    function requestWithdrawals(uint256[] calldata amounts, address forWhom) external returns (uint256[] memory ids) {
        ids = new uint256[](amounts.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            STETH.transferFrom(msg.sender, address(this), amounts[i]);
            ids[i] = _enqueue(amounts[i], forWhom);
        }
    }

    function requestWithdrawalsWstETH(uint256[] calldata amounts, address forWhom) external returns (uint256[] memory ids) {
        ids = new uint256[](amounts.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            WSTETH.transferFrom(msg.sender, address(this), amounts[i]);
            ids[i] = _enqueue(WSTETH.unwrap(amounts[i]), forWhom);
        }
    }

    function _enqueue(uint256 amount, address forWhom) internal returns (uint256 id) {
        if (isPaused) revert ResumedExpected();
        if (amount < MIN_STETH_WITHDRAWAL_AMOUNT) revert RequestAmountTooSmall(amount);
        if (amount > MAX_STETH_WITHDRAWAL_AMOUNT) revert RequestAmountTooLarge(amount);
        address to = forWhom == address(0) ? msg.sender : forWhom;
        uint256 shares = STETH.getSharesByPooledEth(amount);
        id = requests.length;
        requests.push(Request(amount, shares, to, block.timestamp, false));
        open[to].push(id);
        emit WithdrawalRequested(id, msg.sender, to, amount, shares);
        emit Transfer(address(0), to, id);
    }

    /// Finalizes what is a day old: says how many shares are burnt, and how much is to be sent for them.
    function finalize() external returns (uint256 toBurn, uint256 toLock) {
        require(msg.sender == address(STETH));
        uint256 rate = STETH.getPooledEthByShares(1e27);
        uint256 first = getLastFinalizedRequestId + 1;
        uint256 id = first;
        for (; id < requests.length && requests[id].timestamp + WAIT <= block.timestamp; id++) {
            toBurn += requests[id].shares;
            toLock += _paid(requests[id], rate);
        }
        if (id == first) return (0, 0);
        getLastFinalizedRequestId = id - 1;
        checkpoints.push(Checkpoint(first, rate));
    }

    function settle() external payable {
        require(msg.sender == address(STETH));
    }

    /// A request pays what was asked for, or less where a share is worth less by then.
    function _paid(Request storage request, uint256 rate) internal view returns (uint256) {
        uint256 worth = (request.shares * rate) / 1e27;
        return worth < request.amount && request.amount - worth > 2 ? worth : request.amount;
    }

    function claimWithdrawals(uint256[] calldata ids, uint256[] calldata hints) external {
        if (ids.length != hints.length) revert ArraysLengthMismatch(ids.length, hints.length);
        for (uint256 i = 0; i < ids.length; i++) _claim(ids[i], hints[i], msg.sender);
    }

    function claimWithdrawalsTo(uint256[] calldata ids, uint256[] calldata hints, address recipient) external {
        if (ids.length != hints.length) revert ArraysLengthMismatch(ids.length, hints.length);
        for (uint256 i = 0; i < ids.length; i++) _claim(ids[i], hints[i], recipient);
    }

    function _claim(uint256 id, uint256 hint, address recipient) internal {
        if (id == 0 || id >= requests.length) revert InvalidRequestId(id);
        if (id > getLastFinalizedRequestId) revert RequestNotFoundOrNotFinalized(id);
        Request storage request = requests[id];
        if (request.claimed) revert RequestAlreadyClaimed(id);
        if (request.owner != msg.sender) revert NotOwner(msg.sender, request.owner);
        uint256 amount = _claimable(id, hint);
        request.claimed = true;
        uint256[] storage mine = open[msg.sender];
        for (uint256 i = 0; i < mine.length; i++) {
            if (mine[i] != id) continue;
            mine[i] = mine[mine.length - 1];
            mine.pop();
            break;
        }
        (bool sent,) = recipient.call{value: amount}("");
        require(sent);
        emit WithdrawalClaimed(id, msg.sender, recipient, amount);
        emit Transfer(msg.sender, address(0), id);
    }

    function _claimable(uint256 id, uint256 hint) internal view returns (uint256) {
        if (id == 0 || id >= requests.length) revert InvalidRequestId(id);
        if (id > getLastFinalizedRequestId || requests[id].claimed) return 0;
        bool isThere = hint != 0 && hint < checkpoints.length && checkpoints[hint].fromRequestId <= id
            && (hint + 1 == checkpoints.length || checkpoints[hint + 1].fromRequestId > id);
        if (!isThere) revert InvalidHint(hint);
        return _paid(requests[id], checkpoints[hint].maxShareRate);
    }

    function getClaimableEther(uint256[] calldata ids, uint256[] calldata hints) external view returns (uint256[] memory values) {
        values = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) values[i] = _claimable(ids[i], hints[i]);
    }

    function getLastCheckpointIndex() external view returns (uint256) {
        return checkpoints.length - 1;
    }

    function findCheckpointHints(uint256[] calldata ids, uint256 first, uint256 last) external view returns (uint256[] memory hints) {
        hints = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] > getLastFinalizedRequestId) continue;
            for (uint256 at = first; at <= last; at++) if (checkpoints[at].fromRequestId <= ids[i]) hints[i] = at;
        }
    }

    function getWithdrawalRequests(address of_) external view returns (uint256[] memory) {
        return open[of_];
    }

    function getWithdrawalStatus(uint256[] calldata ids) external view returns (WithdrawalRequestStatus[] memory statuses) {
        statuses = new WithdrawalRequestStatus[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] == 0 || ids[i] >= requests.length) revert InvalidRequestId(ids[i]);
            Request storage request = requests[ids[i]];
            statuses[i] = WithdrawalRequestStatus(
                request.amount, request.shares, request.owner, request.timestamp, ids[i] <= getLastFinalizedRequestId, request.claimed
            );
        }
    }

    function balanceOf(address of_) external view returns (uint256) {
        return open[of_].length;
    }

    function ownerOf(uint256 id) external view returns (address) {
        if (id == 0 || id >= requests.length || requests[id].claimed) revert InvalidRequestId(id);
        return requests[id].owner;
    }
}
