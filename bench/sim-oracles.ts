import type { Journal } from '../src/store/journal/journal-interface.ts'
import type { Inclusion, Leg, Operation, Step } from '../src/store/journal/operation-types.ts'
import { attemptsOf } from '../test/support/attempts-of.ts'
import { nonceAt, type SimTransaction } from '../test/support/simulated/chain.ts'
import { genesisTime } from '../test/support/simulated/node.ts'
import type { Ended, Process } from './sim-run.ts'
import { stoodLately, type World } from './sim-world.ts'

const stepsOf = ({ journal }: World, ids: readonly string[]) =>
  ids.flatMap((id) => journal.find(id)!.steps.map((step) => ({ id, step })))

/** A sent transaction must already be in the journal, and pay what its step specifies (I2, I3). */
export function sendOracle(
  world: World,
  ids: readonly string[],
  sent: SimTransaction,
  by: Process,
  wrong: string[],
): void {
  const { hash, to, data, value, nonce } = sent
  for (const { id, step } of stepsOf(world, ids))
    for (const attempt of attemptsOf(world.journal, id, step.index))
      if (attempt.hash === hash) {
        const isStep =
          to.toLowerCase() === step.transaction.to && value === step.transaction.value && data === '0x01'
        const isNothing = to.toLowerCase() === step.wallet.toLowerCase() && value === 0n && data === '0x'
        if (nonce !== step.nonce || !(attempt.kind === 'cancel' ? isNothing : isStep))
          wrong.push(`what was sent for ${id} step ${step.index} is not that step`)
        if (attempt.kind === 'cancel' && isCancelledEarly(world, by))
          wrong.push(`${id} step ${step.index} is cancelled before its deadline, and nobody asked for it`)
        if (attempt.kind === 'run' && attempt.sends === 0 && replacesForeign(world, sent, by))
          wrong.push(`${id} step ${step.index} replaces a foreign transaction that a node shows`)
        return
      }
  wrong.push('a transaction was sent that is not in the journal')
}

const isCancelledEarly = ({ chain, cancelled }: World, { operation, options }: Process): boolean => {
  const deadline = options.deadlineOf?.({} as Leg)
  const now = chain.blocks.at(-1)!.time / 1_000 + genesisTime
  return deadline !== undefined && !cancelled.has(operation) && now <= deadline
}

const isFinal = (state: Step['state']): boolean => /^FINAL|^CANCELLED/.test(state)

/** How long a view of a wallet may be used until its step is signed, in ms. */
const viewLifeMs = 10_000

/** Whether a first attempt replaces a foreign transaction that had been in the pool before the wallet was read, and that a faithful endpoint shows. */
function replacesForeign(
  { chain, endpoints, since }: World,
  { hash, nonce, maxFeePerGas, maxPriorityFeePerGas }: SimTransaction,
  { faults, slow }: Process,
): boolean {
  const other = chain.pool().find((one) => one.nonce === nonce && !one.signature)
  const isShown = endpoints.some(({ kind, isSilent }) => !kind.lacksPending && !isSilent())
  if (!other || !isShown || faults > 0 || slow || endpoints.some(({ isLying }) => isLying())) return false
  const wasThere = since.get(other.hash)! + viewLifeMs < (since.get(hash) ?? 0)
  const isDearer =
    maxFeePerGas * 10n >= other.maxFeePerGas * 11n &&
    maxPriorityFeePerGas * 10n >= other.maxPriorityFeePerGas * 11n
  return wasThere && isDearer
}

/** Finds steps signed before the previous step was included (I4), and final steps that never were (I5), when the journal records them. */
export function watchedJournal(world: World, wrong: string[]): World {
  const { chain, journal } = world
  const stands = ({ inclusion }: Step): boolean => {
    const block = inclusion && chain.blocksOf(inclusion.hash).find(({ hash }) => hash === inclusion.blockHash)
    return !!block && (stoodLately(world, block) || (block.gone?.depth ?? 0) >= world.network.depth)
  }
  const isOnChain = ({ hash, blockHash }: Inclusion) =>
    chain.blocksOf(hash).some((block) => block.hash === blockHash && chain.isOn(block))
  const watched: Journal = {
    ...journal,
    recordHead: (chainId, number, hash) => {
      if (number >= chain.blocks.length)
        wrong.push(`block ${number} is recorded, which the chain does not have`)
      journal.recordHead(chainId, number, hash)
    },
    reopenSteps: (id, indexes, why) => {
      for (const { index, state, inclusion } of journal.find(id)!.steps)
        if (indexes.includes(index) && isFinal(state) && inclusion && isOnChain(inclusion))
          wrong.push(`${id} step ${index} is reopened, and its block is on the chain`)
      journal.reopenSteps(id, indexes, why)
    },
    recordSigned: (id, index, attempt) => {
      journal.recordSigned(id, index, attempt)
      world.since.set(attempt.hash, world.time.now())
      const { steps } = journal.find(id)!
      const before = steps.filter((step) => step.index < index && step.state !== 'SUPERSEDED').at(-1)
      // Pipelined steps have a fixed gas limit.
      const isPiped = attempt.gas === 50_000n && attempt.kind === 'run' && before?.state !== 'FINAL_OK'
      if (before && attempt.kind === 'run' && !isPiped && !stands(before))
        wrong.push(`${id} step ${index} is signed, and the one before it does not stand`)
    },
    moveStep: (id, index, becomes, why, inclusion) => {
      journal.moveStep(id, index, becomes, why, inclusion)
      if (!isFinal(becomes) || !inclusion) return
      const block = chain.blocksOf(inclusion.hash).find(({ hash }) => hash === inclusion.blockHash)
      const depth = block?.gone?.depth ?? chain.blocks.length - inclusion.blockNumber
      if (!block || !stoodLately(world, block) || depth < world.network.depth)
        wrong.push(`${id} step ${index} is ${becomes} in a block that was ${depth} deep`)
      const ok = block?.transactions.find(({ transaction }) => transaction.hash === inclusion.hash)?.ok
      if (becomes !== 'CANCELLED' && ok !== (becomes === 'FINAL_OK'))
        wrong.push(`${id} step ${index} is ${becomes}, and the block says otherwise`)
    },
  }
  return { ...world, journal: watched }
}

const exitOf: Readonly<Record<Operation['state'], number>> = {
  OPEN: -1,
  DROPPED: -1,
  EXECUTING: 20,
  DONE: 0,
  PARTIAL: 21,
  FAILED: 22,
  CANCELLED: 24,
  ATTENTION: 23,
}

/** The exit code of a process must match the journal (I8), in time (I12). */
export function endOracle({ journal }: World, end: Ended, wrong: string[]): void {
  const { operation: id, exit, code, strange, tookMs, timeoutMs } = end
  if (strange) wrong.push(`${id} ended in no error of ours: ${String(strange)}`)
  if (tookMs > timeoutMs + 15_000) wrong.push(`${id} took ${Math.round(tookMs - timeoutMs)} ms too long`)
  if (exit === undefined) return
  const { state, steps } = journal.find(id)!
  const signed = steps.reduce((sum, { index }) => sum + attemptsOf(journal, id, index).length, 0)
  if (exit !== 0 && (exit < 20 || exit === 130) && signed > 0)
    wrong.push(`${id} ended with ${exit} ${code}, and ${signed} transactions are signed`)
  // A pinned nonce used by another transaction says nothing about the signatures here.
  if (code === 'NONCE_USED') return
  if (exit >= 20 && exit < 30 && signed === 0)
    wrong.push(`${id} ended with ${exit} ${code}, and nothing is signed`)
  if (signed > 0 && exitOf[state] !== exit) wrong.push(`${id} is ${state}, and ended with ${exit} ${code}`)
}

/** At the end: paid exactly once if the journal says so, otherwise not at all, and every nonce has a transaction of ours or of a known foreign sender. */
export function finalOracle(world: World, ids: readonly string[], wrong: string[]): void {
  const { chain, journal, signer } = world
  const head = chain.blocks.at(-1)!
  const steps = stepsOf(world, ids)
  for (const { id, step } of steps) {
    const paid = head.paid.get(step.transaction.to) ?? 0n
    const due = step.state === 'FINAL_OK' ? step.transaction.value : 0n
    // A lost journal loses its knowledge, but never causes a second payment.
    if (world.lost > 0 && paid <= step.transaction.value && due === 0n) continue
    if (paid !== due) wrong.push(`${id} step ${step.index} is ${step.state}, and ${paid} of ${due} is paid`)
  }
  for (const id of ids) {
    const operation = journal.find(id)!
    const states = operation.steps.map(({ state }) => state)
    const [isPaid, isLost] = [states.every((state) => state === 'FINAL_OK'), states.includes('SUPERSEDED')]
    if ((operation.state === 'DONE') !== isPaid || (operation.state === 'ATTENTION') !== isLost)
      wrong.push(`${id} is ${operation.state}, and its steps are ${states.join(', ')}`)
    try {
      journal.verify(id)
    } catch (error) {
      wrong.push(String(error))
    }
  }
  const ours = new Set(
    steps.flatMap(({ id, step }) => attemptsOf(journal, id, step.index).map(({ hash }) => hash)),
  )
  const onChain = chain.blocks.flatMap(({ transactions }) =>
    transactions.map(({ transaction }) => transaction),
  )
  const unknown = onChain.filter(({ hash, signature }) => signature && !ours.has(hash))
  if (unknown.length > 0 && world.lost === 0)
    wrong.push(`${unknown.length} transactions of ours are not in the journal`)
  if (nonceAt(head, signer.address) !== onChain.length) wrong.push('the nonces are not dense')
  const held = steps.filter(({ step }) => step.nonce !== null && step.state !== 'SUPERSEDED')
  if (new Set(held.map(({ step }) => step.nonce)).size !== held.length) wrong.push('two steps have one nonce')
  if (journal.firstBrokenEvent() !== undefined) wrong.push('the trail is broken')
}
