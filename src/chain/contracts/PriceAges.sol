// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// How long ago prices were renewed, in seconds: of tokens as price oracles of Aave v3 have them, and of feeds themselves, where the oracle is
/// the zero address. It is put on no chain: a call brings it, and gets the ages in the place of code.
contract PriceAges {
    /// Nobody says how old it is.
    uint256 private constant UNKNOWN = type(uint256).max;
    /// What one question may use. An oracle that burns more than that says nothing.
    uint256 private constant GAS = 100_000;
    /// An adapter may stand on another one, which stands on a feed.
    uint256 private constant DEPTH = 3;

    constructor(address[] memory oracles, address[] memory tokens) {
        uint256[] memory ages = new uint256[](tokens.length);
        for (uint256 index; index < tokens.length; ++index) {
            address feed = oracles[index] == address(0)
                ? tokens[index]
                : addressAt(oracles[index], abi.encodeWithSignature("getSourceOfAsset(address)", tokens[index]));
            uint256 renewed = oldest(feed, DEPTH);
            ages[index] = renewed == UNKNOWN ? UNKNOWN : renewed < block.timestamp ? block.timestamp - renewed : 0;
        }
        bytes memory answer = abi.encode(ages);
        assembly {
            return(add(answer, 0x20), mload(answer))
        }
    }

    /// When a feed was renewed by its own word; an adapter without one is as old as the oldest of what it stands on.
    function oldest(address feed, uint256 depth) private view returns (uint256 at) {
        at = UNKNOWN;
        if (feed == address(0) || depth == 0) return at;
        (bool success, bytes memory said) = feed.staticcall{gas: GAS}(abi.encodeWithSignature("latestRoundData()"));
        if (success && said.length >= 160) {
            (, , , uint256 updatedAt, ) = abi.decode(said, (uint256, int256, uint256, uint256, uint256));
            if (updatedAt > 0) return updatedAt;
        }
        string[6] memory parts = [
            "ASSET_TO_USD_AGGREGATOR()",
            "BASE_TO_USD_AGGREGATOR()",
            "ASSET_TO_PEG()",
            "PEG_TO_BASE()",
            "BASE_TO_PEG()",
            "RATIO_PROVIDER()"
        ];
        for (uint256 index; index < parts.length; ++index) {
            uint256 part = oldest(addressAt(feed, abi.encodeWithSignature(parts[index])), depth - 1);
            if (part < at) at = part;
        }
    }

    /// The address that a contract answers with; zero where it answers otherwise.
    function addressAt(address where, bytes memory question) private view returns (address) {
        (bool success, bytes memory said) = where.staticcall{gas: GAS}(question);
        if (!success || said.length != 32) return address(0);
        uint256 word = abi.decode(said, (uint256));
        return word > type(uint160).max ? address(0) : address(uint160(word));
    }
}
