// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

interface IMessageHandlerV2 {
    function handleReceiveFinalizedMessage(uint32 sourceDomain, bytes32 sender, uint32 finality, bytes calldata body)
        external
        returns (bool);
    function handleReceiveUnfinalizedMessage(uint32 sourceDomain, bytes32 sender, uint32 finality, bytes calldata body)
        external
        returns (bool);
}

/// The message layer of a burn-and-mint bridge: the public interface, byte layout and checks of CCTP v2, with one attester.
///
/// Layout of a message (offset: field): 0 version, 4 sourceDomain, 8 destinationDomain, 12 nonce, 44 sender, 76 recipient,
/// 108 destinationCaller, 140 minFinalityThreshold, 144 finalityThresholdExecuted, 148 body. The nonce and the executed
/// finality leave here as zero; the attester fills them in and signs the result.
contract MessageTransmitterV2 is Ownable {
    uint32 public constant version = 1;
    uint256 public constant NONCE_USED = 1;
    uint256 public constant signatureThreshold = 1;
    uint256 public constant maxMessageBodySize = 8192;
    uint32 private constant FINALIZED = 2000;

    uint32 public immutable localDomain;
    mapping(address => bool) public isEnabledAttester;
    mapping(bytes32 => uint256) public usedNonces;

    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );
    event AttesterEnabled(address indexed attester);

    constructor(uint32 domain, address attester) Ownable(msg.sender) {
        localDomain = domain;
        isEnabledAttester[attester] = true;
        emit AttesterEnabled(attester);
    }

    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external {
        require(destinationDomain != localDomain, "Domain is local domain");
        require(messageBody.length <= maxMessageBodySize, "Message body exceeds max size");
        require(recipient != bytes32(0), "Recipient must be nonzero");
        emit MessageSent(
            abi.encodePacked(
                version,
                localDomain,
                destinationDomain,
                bytes32(0),
                bytes32(uint256(uint160(msg.sender))),
                recipient,
                destinationCaller,
                minFinalityThreshold,
                uint32(0),
                messageBody
            )
        );
    }

    function receiveMessage(bytes calldata message, bytes calldata attestation) external returns (bool success) {
        require(attestation.length == 65 * signatureThreshold, "Invalid attestation length");
        require(
            isEnabledAttester[ECDSA.recoverCalldata(keccak256(message), attestation)], "Invalid signature: not attester"
        );
        require(message.length >= 148, "Invalid message: too short");
        require(uint32(bytes4(message[8:12])) == localDomain, "Invalid destination domain");
        bytes32 destinationCaller = bytes32(message[108:140]);
        require(
            destinationCaller == bytes32(0) || destinationCaller == bytes32(uint256(uint160(msg.sender))),
            "Invalid caller for message"
        );
        require(uint32(bytes4(message[0:4])) == version, "Invalid message version");
        bytes32 nonce = bytes32(message[12:44]);
        require(usedNonces[nonce] == 0, "Nonce already used");
        usedNonces[nonce] = NONCE_USED;
        _deliver(message, nonce);
        return true;
    }

    function _deliver(bytes calldata message, bytes32 nonce) private {
        uint32 sourceDomain = uint32(bytes4(message[4:8]));
        bytes32 sender = bytes32(message[44:76]);
        IMessageHandlerV2 recipient = IMessageHandlerV2(address(uint160(uint256(bytes32(message[76:108])))));
        uint32 finality = uint32(bytes4(message[144:148]));
        bytes calldata body = message[148:];
        bool handled = finality < FINALIZED
            ? recipient.handleReceiveUnfinalizedMessage(sourceDomain, sender, finality, body)
            : recipient.handleReceiveFinalizedMessage(sourceDomain, sender, finality, body);
        require(handled, "Message was not handled");
        emit MessageReceived(msg.sender, sourceDomain, nonce, sender, finality, body);
    }
}
