import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../domain/errors.ts'

/** What the running command waits for. Every exchange of `client.ts` is noted here, so that no caller can forget it. */
export type Waits = {
  /** Notes a request to a host; the returned function ends it and says whether there was an answer. */
  begin: (host: string, chainId: number | undefined) => (isAnswered: boolean) => void
  /** Aborts when the time of the command is over. */
  signal: AbortSignal
  /** Stops the clock of the time limit until the returned function is called. */
  hold: () => () => void
  /** Runs work in which a person answers: it counts for no limit, and no progress is drawn over it. */
  person: <value>(work: () => Promise<value>) => Promise<value>
  /** Runs work that may take longer than the default time of reads; `what` is shown meanwhile. */
  long: <value>(what: string, work: () => Promise<value>) => Promise<value>
  /** What is left of `--timeout`, in ms; `undefined` without it. */
  left: () => number | undefined
  /** Whether the command runs until it is stopped: then nothing is shown and nothing is limited. */
  isEndless: () => boolean
}

const ofCommand = new AsyncLocalStorage<Waits | undefined>()

/** The waits of the command that runs this code; `undefined` in the library and in other processes. */
export const currentWaits = (): Waits | undefined => ofCommand.getStore()

/** Runs a command whose exchanges are noted in `waits`. */
export const withWaits = <value>(waits: Waits, work: () => value): value => ofCommand.run(waits, work)

/** Runs work that takes as long as a person does, for example at a prompt. */
export const whilePersonActs = <value>(work: () => Promise<value>): Promise<value> =>
  currentWaits()?.person(work) ?? work()

/** Runs work that may take longer than reads; `what` is shown meanwhile. */
export const longWork = <value>(what: string, work: () => Promise<value>): Promise<value> =>
  currentWaits()?.long(what, work) ?? work()

/** Runs work at a signer, which may be a device in a hand: it counts for no limit. */
export async function untimed<value>(work: () => Promise<value>): Promise<value> {
  const release = currentWaits()?.hold()
  try {
    return await work()
  } finally {
    release?.()
  }
}

/** The `details.fault` of a request that was ended because the time of the command is over. */
export const timeOverFault = 'time over'

/** The error of a request for which the command has no time left: SERVICE_UNREACHABLE. */
export const timeOverError = (host: string): AppError =>
  new AppError('SERVICE_UNREACHABLE', `${host} did not answer before the time limit`, {
    details: { host, fault: timeOverFault },
  })
