import type { Abi, AbiEvent } from 'viem'
import { getAbiItem, pad, toEventSelector } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'

/** An address as an indexed topic of an event. */
export const addressTopic = (address: Address): Hex => pad(address.toLowerCase() as Hex)

/** The first topic of an event of an ABI. */
export const eventTopic = (abi: Abi, eventName: string): Hex =>
  toEventSelector(getAbiItem({ abi, name: eventName }) as AbiEvent)
