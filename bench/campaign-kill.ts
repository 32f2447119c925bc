import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

import { programHome } from '../test/support/program.ts'
import { campaignArguments, campaignEnds } from './arguments.ts'
import { killCampaign } from './kill.ts'

// Deposits killed by SIGKILL at random times and gone on with: exactly one deposit each, read from the chain.
const { cells, seed } = campaignArguments(30)
const home = programHome(join(tmpdir(), `sluice-test-cache-${userInfo().uid}`))
try {
  const all = await killCampaign(home, {
    cells,
    seed,
    said: ({ cell, killedAtMs, signedAtKill, wrong }) =>
      console.log(
        `${String(cell).padStart(3)}  killed at ${killedAtMs.join(', ')} ms with ${signedAtKill.join(', ')} of 2 signed  ${wrong.join('; ') || 'one deposit'}`,
      ),
  })
  campaignEnds('kill', all.length, all.filter(({ wrong }) => wrong.length > 0).length, seed)
} finally {
  await home.end()
}
