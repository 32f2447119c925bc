import type { LocalAccount } from 'viem'

import type { Address } from '../../domain/address.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { checkLeg } from '../guard.ts'
import { decodeIntent } from '../intent-json.ts'
import { readKeyFile } from '../key-source.ts'
import { newKey, parseKey } from '../key-text.ts'
import { openKey, saveKey } from '../keystore.ts'
import { openKeystore } from '../keystore-file.ts'
import { signerOf } from '../signer.ts'
import { refuseUntyped } from './typed.ts'
import type { Answers, Ask, Desk, ImportSource, KeySource, SignableJson, TransactionJson } from './words.ts'

/** What the signer knows by itself: not from whoever asks it. */
export type DeskNeeds = {
  /** What the person typed. */
  argv: readonly string[]
  catalog: () => Promise<Catalog>
  /** The key of the environment. */
  privateKey: string | undefined
  sandboxKey: () => Promise<string>
  /** Says to the person what is about to be signed. */
  say: (line: string) => void
}

/**
 * The one place where keys are. It opens them, checks by itself that what it is to sign does what is asked and was typed
 * (the guard, G1 to G8), and signs nothing else than what it approved (G12).
 */
export function signingDesk(needs: DeskNeeds): Desk {
  const accounts = new Map<Address, LocalAccount>()
  const approved: { wallet: Address; transaction: Transaction }[] = []

  const accountOf = (wallet: Address): LocalAccount => {
    const account = accounts.get(wallet)
    if (account) return account
    throw new AppError('KEY_SOURCE', `The key of ${wallet} was not opened`)
  }

  const approve = async ({
    wallet,
    legs,
    vouched,
  }: Extract<Ask, { do: 'approve' }>): Promise<Answers['approve']> => {
    const catalog = await needs.catalog()
    const steps = legs.flatMap((leg, at) => {
      const intent = decodeIntent(leg.intent as never, catalog)
      if (intent.wallet !== accountOf(wallet).address)
        throw new AppError('POLICY_TAMPER', `The plan is for ${intent.wallet}, and the key is of ${wallet}`)
      refuseUntyped(needs.argv, intent, vouched, at === 0)
      const { chainId } = leg
      return checkLeg({ intent, chainId, transactions: leg.transactions.map(read), catalog, vouched })
    })
    for (const { transaction } of steps) approved.push({ wallet, transaction })
    const texts = steps.map(({ text }) => text)
    for (const text of texts) needs.say(text)
    return { texts }
  }

  const sign = async ({
    wallet,
    transaction: json,
  }: Extract<Ask, { do: 'sign' }>): Promise<Answers['sign']> => {
    const account = accountOf(wallet)
    const transaction = read(json)
    if (
      !approved.some((one) => one.wallet === wallet && isSame(one.transaction, transaction)) &&
      !isNothing(transaction, wallet)
    )
      throw new AppError('POLICY_TAMPER', 'What is to be signed is no part of the plan that was approved')
    if (isNothing(transaction, wallet))
      needs.say(`nothing, in the place of what waits with nonce ${json.nonce}`)
    const raw = await account.signTransaction({ type: 'eip1559', ...transaction, ...feesOf(json) })
    return { raw }
  }

  const desk = async (ask: Ask): Promise<Answers[Ask['do']]> => {
    switch (ask.do) {
      case 'open': {
        const account = signerOf(parseKey(await keyFrom(ask.source, needs)))
        accounts.set(account.address, account)
        return { address: account.address }
      }
      case 'make':
        return stored(await saveKey(ask.directory, ask.name, newKey(), ask.password))
      case 'import':
        return stored(
          await saveKey(ask.directory, ask.name, parseKey(await importedKey(ask.from)), ask.password),
        )
      case 'approve':
        return approve(ask)
      case 'sign':
        return sign(ask)
    }
  }
  return desk as Desk
}

const stored = ({ name, address }: { name: string; address: Address | null }): Answers['make'] => {
  if (address === null) throw new AppError('BUG', 'A key was kept without its address')
  return { name, address }
}

async function keyFrom(source: KeySource, { privateKey, sandboxKey }: DeskNeeds): Promise<string> {
  switch (source.kind) {
    case 'sandbox':
      return sandboxKey()
    case 'environment':
      if (privateKey === undefined) throw new AppError('KEY_SOURCE', 'SLUICE_PRIVATE_KEY is not set')
      return privateKey
    case 'key-file':
      return readKeyFile(source.path)
    case 'keystore':
      return openKey(source.directory, source.name, source.password)
  }
}

async function importedKey(from: ImportSource): Promise<string> {
  if (from.kind === 'key') return from.text
  return from.kind === 'key-file'
    ? readKeyFile(from.path)
    : openKeystore(from.text, from.password, from.label)
}

const read = ({ to, data, value, chainId }: TransactionJson): Transaction => ({
  to,
  data,
  value: BigInt(value),
  chainId,
})

const feesOf = ({ nonce, gas, maxFeePerGas, maxPriorityFeePerGas }: SignableJson) => ({
  nonce,
  gas: BigInt(gas),
  maxFeePerGas: BigInt(maxFeePerGas),
  maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
})

const isSame = (a: Transaction, b: Transaction): boolean =>
  a.to.toLowerCase() === b.to.toLowerCase() &&
  a.data.toLowerCase() === b.data.toLowerCase() &&
  a.value === b.value &&
  a.chainId === b.chainId

/** A cancel: nothing, to oneself. It can only take the place of something. */
const isNothing = ({ to, data, value }: Transaction, wallet: Address): boolean =>
  to.toLowerCase() === wallet.toLowerCase() && data === '0x' && value === 0n
