import { canonical } from '../../domain/canonical-json.ts'
import { type Network, publicNetworks, sandboxNetworks } from '../../domain/networks.ts'
import type { JournalEvent, Operation } from '../../store/journal/operation.ts'
import { finalityText, operationReport } from '../report.ts'

type Fields = Readonly<Record<string, unknown>>

type Read = {
  operation: object
  attempts: readonly { step: number; hash: string }[]
  events: readonly object[]
  report: { transactions: readonly ({ chainId: number } & Fields)[] } & Fields
}

/** Compared separately, because older evidence has them in another form. */
const apart = ['amounts', 'arrivedShort', 'transactions']

/**
 * The first field of the report that differs from a report made again from operation, attempts and events, such as
 * `receiverAddress` or `transactions.1.text`. Fields of only one of the two are from another version and skipped.
 */
export function changedReportField({ operation, attempts, events, report }: Read): string | undefined {
  const anew = operationReport(
    operation as Operation,
    networksOf(report.transactions),
    ({ index }) => attempts.findLast(({ step }) => step === index)?.hash ?? null,
    finalityText(events as readonly JournalEvent[]),
  )
  const other = unlike(anew, report, apart)
  if (other !== undefined) return other
  for (const [at, said] of report.transactions.entries()) {
    const name = unlike(anew.transactions[at]!, said)
    if (name !== undefined) return `transactions.${at}.${name}`
  }
  return undefined
}

const unlike = (anew: Fields, said: Fields, but: readonly string[] = []): string | undefined =>
  Object.keys(anew).find(
    (name) =>
      !but.includes(name) && Object.hasOwn(said, name) && canonical(anew[name]) !== canonical(said[name]),
  )

/** The networks of this program, and those that only the report knows. */
const networksOf = (told: readonly Fields[]): Network[] => [
  ...sandboxNetworks,
  ...publicNetworks,
  ...told.map(({ chainId, network, explorerUrl }) => {
    const explorer = typeof explorerUrl === 'string' ? explorerUrl.replace(/\/tx\/[^/]*$/, '') : null
    return { chainId, name: network, explorer } as Network
  }),
]
