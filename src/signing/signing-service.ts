import { refuseExcessiveGas } from '../chain/refuse-excessive-gas.ts'
import type { Address, Hex } from '../domain/address.ts'
import { type CommandLine, flagValue } from '../domain/command-line/read-command-line.ts'
import { AppError } from '../domain/errors.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { checkLeg } from '../guard/calldata-against-intent.ts'
import { decodeIntent } from '../guard/intent-json.ts'
import { checkSignable, hashPlan, type PlanCore, type Signable } from '../guard/plan-hash.ts'
import { maxFeeIn } from '../guard/user-limits-and-exemptions.ts'
import {
  namesRecordedPlan,
  refuseIntentMismatch,
  refuseUnrequestedFee,
} from './intent-matches-command-line.ts'
import { prepareSigning } from './keystore/curve-precomputation.ts'
import { generatePrivateKey, parsePrivateKey } from './keystore/private-key.ts'
import { privateKeySigner } from './keystore/private-key-signer.ts'
import { readKeyFile } from './read-private-file.ts'
import { isSameTransaction, refusePlanMismatch } from './recorded-plan-check.ts'
import type { KeyHolder } from './signer.ts'
import type { SigningServiceContext } from './signing-service-context-type.ts'
import type {
  ImportSource,
  KeySource,
  SignableJson,
  SignerTransaction,
  SigningAnswers,
  SigningRequests,
  SigningService,
} from './signing-service-protocol.ts'

/** Refuses excessive gas and fees; a typed `--max-fee` replaces our own bound. */
function refuseExcessiveFees(line: CommandLine, signable: Signable): void {
  refuseExcessiveGas(signable, maxFeeIn(flagValue(line, '--max-fee') ?? '') ?? null)
}

/** The answer for a key that was stored. */
const storedKeyAnswer = ({
  name,
  address,
}: {
  name: string
  address: Address | null
}): SigningAnswers['make'] => {
  if (address === null) throw new AppError('BUG', 'A key was stored without its address')
  return { name, address }
}

const encryption = () => import('./keystore/encryption.ts')
const storedKeys = () => import('./keystore/encrypted-key-file.ts')

/** Opens the holder of a key. Code for keystores, devices and external signers is loaded only for them. */
async function openKeyHolder(source: KeySource, context: SigningServiceContext): Promise<KeyHolder> {
  if (source.kind === 'ledger') return (await import('./ledger/ledger.ts')).openLedger(source, context.tell)
  if (source.kind === 'external') {
    const { openExternal } = await import('./json-rpc-signer.ts')
    const url = flagValue(context.line, '--signer-url') ?? context.signerUrl ?? ''
    return openExternal({ url, wallet: source.wallet }, context.tell)
  }
  return privateKeySigner(await readKey(source, context))
}

type ReadableSource = Exclude<KeySource, { kind: 'ledger' | 'external' }>

/** Reads a key. */
async function readKey(
  source: ReadableSource,
  { privateKey, sandboxKey }: SigningServiceContext,
): Promise<Hex> {
  switch (source.kind) {
    case 'sandbox':
      return parsePrivateKey(await sandboxKey(), 'The key of the sandbox')
    case 'environment':
      if (privateKey === undefined) throw new AppError('KEY_SOURCE', 'SLUICE_PRIVATE_KEY is not set')
      return parsePrivateKey(privateKey, 'SLUICE_PRIVATE_KEY')
    case 'key-file':
      return readKeyFile(source.path)
    case 'keystore':
      return (await storedKeys()).openKey(source.directory, source.name, source.password)
    case 'keystore-file':
      return (await encryption()).openKeystore(source.text, source.password, source.label)
  }
}

/** Reads a key to import. */
async function readImportedKey(from: ImportSource): Promise<Hex> {
  if (from.kind === 'key') return parsePrivateKey(from.text, 'The key to import')
  return from.kind === 'key-file'
    ? readKeyFile(from.path)
    : (await encryption()).openKeystore(from.text, from.password, from.label)
}

/** Stores a key under a name, encrypted. */
const store = async (
  { directory, name, password }: Extract<SigningRequests, { do: 'make' | 'import' }>,
  key: Hex,
): Promise<SigningAnswers['make']> =>
  storedKeyAnswer(await (await storedKeys()).saveKey(directory, name, key, password))

/**
 * The only place with keys. It opens them, checks independently that what it signs is what was asked and typed (the guard, G1 to
 * G8), and signs only what it approved (G12).
 */
export function openSigningService(context: SigningServiceContext): SigningService {
  const accounts = new Map<Address, KeyHolder>()
  const approved: { core: PlanCore; hash: string }[] = []
  /**
   * Every call that may be signed, with the nonce it was signed under: one nonce for its life, shared with no other call. `unsaid`
   * is shown to the person at the first signature.
   */
  const calls: {
    wallet: Address
    transaction: Transaction
    at: string | null
    unsaid: string | undefined
  }[] = []

  const accountOf = (wallet: Address): KeyHolder => {
    const account = accounts.get(wallet)
    if (account) return account
    throw new AppError('KEY_SOURCE', `The key of ${wallet} was not opened`)
  }

  const approve = async ({
    wallet,
    legs,
    vouched,
    quoteId,
  }: Extract<SigningRequests, { do: 'approve' }>): Promise<SigningAnswers['approve']> => {
    const catalog = await context.catalog()
    const isWritten = namesRecordedPlan(context.line)
    const [written, remembered] = await Promise.all([
      isWritten || context.line.command === 'action deliver' ? context.written() : undefined,
      isWritten ? null : context.remembered(quoteId),
    ])
    const steps = legs.flatMap(({ chainId, intent: json, transactions }) => {
      const intent = decodeIntent(json as never, catalog)
      if (intent.wallet !== accountOf(wallet).address)
        throw new AppError(
          'POLICY_TAMPER',
          `The plan is for ${intent.wallet}, but the key belongs to ${wallet}`,
        )
      if (isWritten) refusePlanMismatch(context.line, written, transactions.map(read), vouched)
      if (context.line.command === 'action submit') refuseUnrequestedFee(context.line, intent)
      if (!isWritten) refuseIntentMismatch(context, intent, vouched, remembered, catalog, written)
      const question = { intent, chainId, transactions: transactions.map(read), catalog, vouched }
      return checkLeg(question).map((step) => ({
        ...step,
        // A payment is signed once, however often it is approved; a revocation may appear in several plans.
        isPayment: (step.role === 'action' || step.role === 'fee') && intent.kind !== 'revoke',
      }))
    })
    const core = planCoreOf(wallet, steps)
    approved.push({ core, hash: hashPlan(core) })
    for (const { transaction, isPayment, text } of steps) {
      if (
        !isPayment ||
        !calls.some((one) => one.wallet === wallet && isSameTransaction(one.transaction, transaction))
      )
        calls.push({ wallet, transaction, at: null, unsaid: text })
    }
    return { texts: steps.map(({ text }) => text) }
  }

  const sign = async ({
    wallet,
    transaction: json,
  }: Extract<SigningRequests, { do: 'sign' }>): Promise<SigningAnswers['sign']> => {
    const account = accountOf(wallet)
    const signable: Signable = { type: 'eip1559', ...read(json), ...feesOf(json) }
    refuseExcessiveFees(context.line, signable)
    if (isCancellation(signable, wallet)) {
      const at = `${signable.chainId} ${wallet} ${signable.nonce}`
      if (
        !calls.some((one) => one.at === at) &&
        !(await context.isSigned(signable.chainId, wallet, signable.nonce))
      )
        throw tamperError(`Nothing was signed with nonce ${signable.nonce}, so there is nothing to cancel`)
      context.say(`a no-op transaction that replaces the pending one with nonce ${signable.nonce}`)
    } else refuseUnapproved(wallet, signable)
    return { raw: await account.signTransaction(signable) }
  }

  /** G12: a signature is for a step of an approved plan, under one nonce for its life. */
  const refuseUnapproved = (wallet: Address, signable: Signable): void => {
    const plan = approved.find(
      ({ core }) =>
        core.wallet === wallet &&
        core.legs.some(({ transactions }) => transactions.some((one) => isSameTransaction(one, signable))),
    )
    if (!plan) throw tamperError('The transaction to sign is not part of the approved plan')
    checkSignable(plan.core, plan.hash, signable)
    const at = `${signable.chainId} ${wallet} ${signable.nonce}`
    const same = calls.filter((one) => one.wallet === wallet && isSameTransaction(one.transaction, signable))
    const mine = same.find((one) => one.at === at) ?? same.find((one) => one.at === null)
    if (!mine || calls.some((one) => one !== mine && one.at === at))
      throw tamperError(`Nonce ${signable.nonce} is not the nonce of this transaction, which never changes`)
    mine.at = at
    if (mine.unsaid !== undefined) context.say(mine.unsaid)
    mine.unsaid = undefined
  }

  const service = async (ask: SigningRequests): Promise<SigningAnswers[SigningRequests['do']]> => {
    const { fault } = context.line
    if (fault !== undefined) throw tamperError(`The command line cannot be read: ${fault}`)
    switch (ask.do) {
      case 'prepare':
        prepareSigning()
        return null
      case 'open': {
        if (context.line.command === 'demo' && ask.source.kind !== 'sandbox')
          throw tamperError('The demo is only for the account of the sandbox')
        const account = await openKeyHolder(ask.source, context)
        accounts.set(account.address, account)
        return { address: account.address }
      }
      case 'make':
        return store(ask, generatePrivateKey())
      case 'import':
        return store(ask, await readImportedKey(ask.from))
      case 'approve':
        return approve(ask)
      case 'sign':
        return sign(ask)
    }
  }
  return service as SigningService
}

const read = ({ to, data, value, chainId }: SignerTransaction): Transaction => ({
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

const tamperError = (why: string): AppError => new AppError('POLICY_TAMPER', `${why}. It was not signed.`)

/** The steps of a plan as the data that its hash covers. */
const planCoreOf = (wallet: Address, steps: readonly { transaction: Transaction }[]): PlanCore => ({
  id: '',
  kind: '',
  wallet,
  nonce: null,
  request: null,
  quoteId: null,
  expiresAt: null,
  about: null,
  legs: steps.map(({ transaction }) => ({
    chainId: transaction.chainId,
    intent: null,
    arrival: null,
    transactions: [transaction],
  })),
})

/** Whether a transaction is a cancellation: nothing, to oneself. */
const isCancellation = ({ to, data, value }: Transaction, wallet: Address): boolean =>
  to.toLowerCase() === wallet.toLowerCase() && data === '0x' && value === 0n
