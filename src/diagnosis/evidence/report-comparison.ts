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

/** What is compared by itself, because older evidence has other words for it. */
const apart = ['amounts', 'arrivedShort', 'transactions']

/**
 * The first field of an evidence's report that is not what a report made anew of its action, attempts and events has, such as
 * `receiverAddress` or `transactions.1.text`. What only one of the two has is of another version of this program, and is not compared.
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

/** The networks that this program knows, and as the report has it one that only another version knows. */
const networksOf = (told: readonly Fields[]): Network[] => [
  ...sandboxNetworks,
  ...publicNetworks,
  ...told.map(({ chainId, network, explorerUrl }) => {
    const explorer = typeof explorerUrl === 'string' ? explorerUrl.replace(/\/tx\/[^/]*$/, '') : null
    return { chainId, name: network, explorer } as Network
  }),
]
