// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IStaked {
    function transferFrom(address from, address to, uint256 units) external returns (bool);
    function rate() external view returns (uint256);
}

/// A queue of ERC-721 tickets that are not enumerable by owner, with the published interfaces of ether.fi and of the redemption queue of
/// Frax. It is funded with coins to pay with. Requests become ready by a call.
contract TicketQueueLike {
    struct Ticket {
        address owner;
        uint256 amount;
    }
    struct WithdrawRequest {
        uint96 amountOfEEth;
        uint96 shareOfEEth;
        bool isValid;
        uint32 feeGwei;
    }

    IStaked public immutable token;
    uint64 public constant FEE = 2_000;
    uint256 public last;
    bool public swallows;
    Ticket[] internal tickets;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    constructor(IStaked token_) {
        token = token_;
        tickets.push();
    }

    receive() external payable {}

    function finalize(uint256 last_) external {
        last = last_;
    }

    function set(bool swallows_) external {
        swallows = swallows_;
    }

    function _ask(uint256 units, address owner) internal returns (uint256 id) {
        token.transferFrom(msg.sender, address(this), units);
        id = tickets.length;
        tickets.push(Ticket(owner, (units * token.rate()) / 1 ether));
        balanceOf[owner]++;
        emit Transfer(address(0), owner, id);
    }

    function _pay(uint256 id, address to, uint256 amount) internal {
        require(ownerOf(id) == msg.sender, "Not the owner of the NFT");
        require(id <= last, "Request is not finalized");
        balanceOf[msg.sender]--;
        delete tickets[id];
        emit Transfer(msg.sender, address(0), id);
        if (swallows) return;
        (bool sent,) = to.call{value: amount}("");
        require(sent);
    }

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = tickets[id].owner;
        require(owner != address(0), "ERC721: invalid token ID");
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf(id) == from && from == msg.sender, "not yours");
        tickets[id].owner = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, id);
    }

    // ether.fi
    function requestWithdraw(uint256 units, address recipient) external returns (uint256) {
        return _ask(units, recipient);
    }

    function isFinalized(uint256 id) external view returns (bool) {
        return id <= last;
    }

    function getRequest(uint256 id) external view returns (WithdrawRequest memory) {
        return WithdrawRequest(uint96(tickets[id].amount), 0, true, 5);
    }

    function getClaimableAmount(uint256 id) public view returns (uint256) {
        require(id <= last, "Request is not finalized");
        return tickets[id].amount - 5 gwei;
    }

    function claimWithdraw(uint256 id) external {
        _pay(id, msg.sender, getClaimableAmount(id));
    }

    // Frax
    function enterRedemptionQueueViaSfrxEth(address recipient, uint120 units) external returns (uint256) {
        return _ask(units, recipient);
    }

    function redemptionQueueState() external view returns (uint64, uint64, uint64, uint120, uint120) {
        return (uint64(tickets.length), 15 days, FEE, 0, 0);
    }

    function nftInformation(uint256 id) external view returns (bool, uint64, uint120, uint64, uint120) {
        return (false, 1_900_000_000, uint120(tickets[id].amount), FEE, 0);
    }

    function canRedeem(uint256 id, uint120, bool) external view returns (bool, uint120) {
        return (id <= last, uint120(tickets[id].amount));
    }

    function burnRedemptionTicketNft(uint256 id, address payable recipient) external {
        uint256 amount = tickets[id].amount;
        _pay(id, recipient, amount - (amount * FEE) / 1e6);
    }
}
