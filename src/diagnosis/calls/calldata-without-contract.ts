import { toFunctionSignature } from 'viem/utils'
import { decodeWithRest } from '../../chain/strict-calldata-decoding.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, publicNetworks } from '../../domain/networks.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { authorityText } from '../../guard/authority-granting-calls.ts'
import { isEverything, type Teller, type Words } from '../../protocols/call-description.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { CallJson } from './call-json.ts'
import { argumentsOf, describedContractsOf, restText, selectorOf } from './describe-call.ts'

/** What stands for the address that the calldata does not name. */
const unnamed = 'the called contract' as Address

/** Words that name no token by its symbol and no amount but in its smallest unit: neither the contract nor its network is known. */
function wordsWithoutContract(catalog: Catalog, data: Hex, value: bigint): Words {
  const amount = (token: Address, units: bigint) =>
    `${units} smallest units of ${sameAddress(token, unnamed) ? 'the called token' : token}`
  const coin = (units: bigint) => `${units} wei of the coin`
  return {
    // No network has it, so that nothing of a catalogue matches.
    chainId: 0,
    catalog,
    call: { to: unnamed, value, data },
    amount,
    amountAt: (_, token, units) => amount(token, units),
    upTo: (token, units) => (isEverything(units) ? `all of ${token}` : amount(token, units)),
    token: (address) => (sameAddress(address, unnamed) ? 'the called token' : address),
    coin,
    tokenAt: () => undefined,
    forWhom: (account) => ` for ${account}`,
    toWhom: (account) => ` to ${account}`,
    network: (id) => publicNetworks.find((one) => one.chainId === Number(id))?.name ?? `chain ${id}`,
    wrapped: undefined,
    inner: ({ to, data: inside }) => ({
      to,
      contract: null,
      isDecoded: false,
      kind: 'other',
      signature: null,
      args: [],
      text: `calls ${to} with ${inside.slice(0, 10)}: not decoded`,
      gives: [],
      holders: [],
      paysCoinTo: null,
      isDebt: false,
      calls: [],
      unread: [`the call inside (${inside.slice(0, 10)})`],
      transfer: null,
    }),
  }
}

type Found = { name: string; teller: Teller; args: readonly unknown[]; rest: Hex }

/** What a function does on a contract whose address is not known; `undefined` where its text depends on the address. */
function toldWithoutContract({ teller, args }: Found, words: Words) {
  try {
    return teller.tell(args, words)
  } catch {
    return undefined // The teller reads the address as hex, which there is none of.
  }
}

/**
 * What calldata does by its selector alone, over the contracts of the given networks: what the function does if all of them agree, else the
 * function and its arguments. Never certain, because calldata does not name its contract. NOT_FOUND if no contract has the function, USAGE if
 * its arguments do not decode.
 */
export function callWithoutContract(
  catalog: Catalog,
  networks: readonly Network[],
  { data, value }: { data: Hex; value: bigint },
): CallJson & { candidates: string[] } {
  const selector = data.slice(0, 10).toLowerCase() as Hex
  const all = networks
    .flatMap(({ chainId }) => describedContractsOf(catalog, chainId))
    .flatMap(({ name, tellers }) => tellers.map((teller) => ({ name: sanitizeText(name), teller })))
    .filter(({ teller }) => selectorOf(teller.item) === selector)
  const [any] = all
  if (!any) throw unknownFunction(selector)
  const found = all.flatMap((one): Found[] => {
    const decoded = decodeWithRest(one.teller.item, data)
    return decoded ? [{ ...one, ...decoded }] : []
  })
  const [first] = found
  if (!first)
    throw new AppError(
      'USAGE',
      `The function ${selector} is ${toFunctionSignature(any.teller.item)}, but the bytes after it are not its arguments`,
      { next: 'Copy it again, whole.' },
    )
  const words = wordsWithoutContract(catalog, data, value)
  const tellings = found.map((one) => toldWithoutContract(one, words))
  const texts = new Set(tellings.map((telling) => telling?.text))
  const kinds = new Set(found.map(({ teller }, at) => tellings[at]?.kind ?? teller.kind))
  const told = texts.size === 1 ? tellings[0] : undefined
  const candidates = [...new Set(found.map(({ name }) => name))].sort()
  const signature = toFunctionSignature(first.teller.item)
  const carried = value > 0n && !told?.text.includes(words.coin(value)) ? `, with ${words.coin(value)}` : ''
  return {
    to: null,
    contract: null,
    candidates,
    decoded: false,
    kind: kinds.size === 1 ? [...kinds][0]! : 'other',
    function: signature,
    arguments: argumentsOf(first.teller, first.args),
    text: told
      ? `${told.text}${carried}, if the called contract is ${candidates.length === 1 ? candidates[0] : 'one of the candidates'}`
      : `calls ${signature}${carried}, which differs between the contracts that have it`,
    gives: [],
    calls: [],
    unread: ['which contract is called', ...(told?.unread ?? []), ...restText(first.rest)],
  }
}

/** The error for a function that no contract of this program has. */
function unknownFunction(selector: Hex): AppError {
  const power = authorityText(selector)
  return new AppError(
    'NOT_FOUND',
    `not decoded: no contract that this program knows has the function ${selector}${power === undefined ? '' : `; it is that of ${power}`}`,
    {
      next: advice`Compare the calldata with its source. If the contract is known: ${sameWith({ '--to': 'CONTRACT', '--network': 'NAME' })}`,
    },
  )
}
