import { askNumber } from '../chain/ask.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { erc20 } from '../chain/erc20.ts'
import { readHeader, timeOf } from '../chain/head.ts'
import type { Address, Hex } from '../domain/address.ts'

/** Reads an account's balance of a token. */
export const readBalance = (rpc: ChainClient, token: Address, owner: Address): Promise<bigint> =>
  askNumber(rpc, erc20.balanceOf(token, owner), 'the balance')

/** A block of a node of the sandbox, by number and hash. */
export type NodeBlock = { number: Hex; hash: Hex }

/** Reads the newest block; a node of the sandbox always has one. */
export const newestBlock = async (rpc: ChainClient): Promise<NodeBlock> =>
  (await readHeader(rpc, 'latest')) as NodeBlock

/** Reads the time of the newest or of the next block, in Unix seconds. */
export const readBlockTime = async (rpc: ChainClient, tag: 'latest' | 'pending'): Promise<number> =>
  timeOf(await readHeader(rpc, tag))
