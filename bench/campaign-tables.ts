import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// The tables of which `npm test` runs some rows in turn, with all rows.
await vitestCampaign('tables', {
  files: [
    'test/api/roundtrip.test.ts',
    'test/commands/every-command/every-error.test.ts',
    'test/commands/every-command/output-modes.test.ts',
    'test/commands/every-command/pasted-hints.test.ts',
    'test/commands/every-command/text-files.test.ts',
    'test/commands/hostile-service/false-answers.test.ts',
    'test/commands/hostile-service/service-fees.test.ts',
    'test/commands/hostile-service/swap-outcomes.test.ts',
    'test/commands/hostile-service/used-orders.test.ts',
    'test/commands/round-trips.test.ts',
    'test/commands/swap/honest-offers.test.ts',
    'test/commands/swap/one-status.test.ts',
    'test/engine/catalog-checks/mutated-catalog.test.ts',
    'test/engine/history/log-ranges.test.ts',
    'test/remote/api-key-echoed-by-service.test.ts',
    'test/remote/other-deployment.test.ts',
    'test/remote/other-execution.test.ts',
    'test/remote/same-as-embedded-engine-random.test.ts',
    'test/server/command-scripts.test.ts',
    'test/server/hostile-strings.test.ts',
    'test/server/strict-http.test.ts',
  ],
  ...campaignArguments(0),
  cells: 'all',
})
