import { campaignArguments } from './arguments.ts'
import { vitestCampaign } from './vitest-campaign.ts'

// The tables of which `npm test` runs some rows in turn, with all rows.
await vitestCampaign('tables', {
  files: [
    'test/commands/every-command/pasted-hints.test.ts',
    'test/commands/every-command/text-files.test.ts',
    'test/server/hostile-strings.test.ts',
  ],
  ...campaignArguments(0),
  cells: 'all',
})
