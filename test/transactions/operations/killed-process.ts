import { journalIn, run } from '../../support/payments/payment-operation.ts'

// Runs one operation in its own process, which kills itself at the NTH pass of a fault point: `killed-process.ts HOME URL ID POINT NTH`.

const [home, url, id, point, nth] = process.argv.slice(2)
if (!home || !url || !id) throw new Error('HOME URL ID [POINT NTH]')
let passed = 0
await run(journalIn(home), home, url, id, {
  fault: (at) => {
    if (at === point && ++passed === Number(nth)) process.kill(process.pid, 'SIGKILL')
  },
})
