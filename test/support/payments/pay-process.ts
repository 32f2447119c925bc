import { sabotages } from '../../../bench/sim-sabotage.ts'
import { AppError, errorRow } from '../../../src/domain/errors.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { fileLocks } from '../../../src/transactions/nonces/wallet-lock.ts'
import { type Payments, pay } from './numbered-payments.ts'

// Executes one operation in a separate process and exits like the program: `pay-process.ts JSON [SABOTAGE]`.
const [text, sabotage] = process.argv.slice(2)
const payments = JSON.parse(text!) as Payments
const broken = sabotage ? sabotages[sabotage]!() : {}
const lock = fileLocks(`${payments.home}/locks`)
try {
  const journal = openJournal(`${payments.home}/journal.db`, Date.now)
  await pay(broken.journal?.(journal) ?? journal, payments, {
    lock: broken.lock?.(lock) ?? lock,
    timeoutMs: 60_000,
  })
} catch (error) {
  console.error(error)
  process.exitCode = error instanceof AppError ? errorRow(error.code).exit : 1
}
