import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Three times the two cores: test files wait for chains and processes more than half of their time.
    maxWorkers: 6,
    // No test replaces a module, so a worker keeps its loaded modules for its next file.
    isolate: false,
    // Long, so that no test fails on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    teardownTimeout: 20_000,
  },
})
