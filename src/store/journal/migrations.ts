import type { SqliteMigration } from '../sql/sqlite.ts'
import { moveBitcoinQuotes } from './move-bitcoin-quotes.ts'
import { operationTransitions, stepTransitions } from './states.ts'

const moves = (table: string, known: Readonly<Record<string, readonly string[]>>): string =>
  `CREATE TABLE ${table} (was TEXT NOT NULL, becomes TEXT NOT NULL, PRIMARY KEY (was, becomes)) STRICT, WITHOUT ROWID;
   ${Object.entries(known)
     .flatMap(([was, all]) => all.map((becomes) => `INSERT INTO ${table} VALUES ('${was}', '${becomes}');`))
     .join('\n')}`

const never = (table: string, what: 'UPDATE' | 'DELETE', columns = ''): string =>
  `CREATE TRIGGER ${table}_never_${what.toLowerCase()} BEFORE ${what}${columns} ON ${table}
   BEGIN SELECT RAISE(ABORT, '${table}: what is written stays'); END;`

/**
 * The journal's migrations. Amounts are decimal text, times epoch ms. What must never happen is a constraint or trigger, so that no
 * code can do it by mistake.
 */
export const journalMigrations: readonly SqliteMigration[] = [
  `
  PRAGMA application_id = 0x736c6a31;
  ${moves('step_move', stepTransitions)}
  ${moves('operation_move', operationTransitions)}

  CREATE TABLE operation (
    id TEXT PRIMARY KEY, idem_key TEXT NOT NULL, request_hash TEXT NOT NULL, request TEXT NOT NULL, plan TEXT NOT NULL,
    kind TEXT NOT NULL, wallet TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'OPEN', exit INTEGER, result TEXT,
    created INTEGER NOT NULL, updated INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX one_key_one_operation ON operation (idem_key) WHERE state <> 'DROPPED';
  CREATE INDEX operation_by_wallet ON operation (wallet, created);
  CREATE TRIGGER operation_state BEFORE UPDATE OF state ON operation WHEN OLD.state <> NEW.state
    AND NOT EXISTS (SELECT 1 FROM operation_move WHERE was = OLD.state AND becomes = NEW.state)
    BEGIN SELECT RAISE(ABORT, 'operation: no such move'); END;
  ${never('operation', 'UPDATE', ' OF id, idem_key, request_hash, request, plan, kind, wallet, created')}
  ${never('operation', 'DELETE')}

  CREATE TABLE leg (
    operation TEXT NOT NULL REFERENCES operation (id), leg INTEGER NOT NULL, chain_id INTEGER NOT NULL,
    arrival_token TEXT, arrival_minimum TEXT, arrival_recipient TEXT, arrival_hash TEXT, PRIMARY KEY (operation, leg)
  ) STRICT, WITHOUT ROWID;
  ${never('leg', 'UPDATE', ' OF operation, leg, chain_id, arrival_token, arrival_minimum, arrival_recipient')}
  ${never('leg', 'DELETE')}

  CREATE TABLE step (
    operation TEXT NOT NULL, idx INTEGER NOT NULL, leg INTEGER NOT NULL, chain_id INTEGER NOT NULL,
    wallet TEXT NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL,
    target TEXT NOT NULL, value TEXT NOT NULL, data TEXT NOT NULL,
    nonce INTEGER, from_block INTEGER, state TEXT NOT NULL DEFAULT 'PLANNED',
    final_hash TEXT, block_number INTEGER, block_hash TEXT, gas_used TEXT, gas_price TEXT,
    PRIMARY KEY (operation, idx), FOREIGN KEY (operation, leg) REFERENCES leg (operation, leg),
    CHECK ((nonce IS NULL) = (state = 'PLANNED'))
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX one_nonce_one_step ON step (chain_id, wallet, nonce)
    WHERE nonce IS NOT NULL AND state <> 'SUPERSEDED';
  CREATE TRIGGER step_state BEFORE UPDATE OF state ON step WHEN OLD.state <> NEW.state
    AND NOT EXISTS (SELECT 1 FROM step_move WHERE was = OLD.state AND becomes = NEW.state)
    BEGIN SELECT RAISE(ABORT, 'step: no such move'); END;
  CREATE TRIGGER step_nonce BEFORE UPDATE OF nonce ON step
    WHEN OLD.nonce IS NOT NEW.nonce AND OLD.state NOT IN ('PLANNED', 'RESERVED')
    BEGIN SELECT RAISE(ABORT, 'step: one nonce for its whole life'); END;
  ${never('step', 'UPDATE', ' OF operation, idx, leg, chain_id, wallet, role, text, target, value, data')}
  ${never('step', 'DELETE')}

  CREATE TABLE attempt (
    hash TEXT PRIMARY KEY, operation TEXT NOT NULL, idx INTEGER NOT NULL, raw TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('run', 'bump', 'cancel')),
    chain_id INTEGER NOT NULL, nonce INTEGER NOT NULL, target TEXT NOT NULL, value TEXT NOT NULL, data TEXT NOT NULL,
    gas TEXT NOT NULL, max_fee TEXT NOT NULL, max_priority TEXT NOT NULL,
    created INTEGER NOT NULL, sends INTEGER NOT NULL DEFAULT 0, last_answer TEXT,
    FOREIGN KEY (operation, idx) REFERENCES step (operation, idx)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER attempt_is_its_step BEFORE INSERT ON attempt WHEN NOT EXISTS (
    SELECT 1 FROM step WHERE step.operation = NEW.operation AND step.idx = NEW.idx AND step.nonce = NEW.nonce
      AND step.chain_id = NEW.chain_id AND step.state <> 'PLANNED' AND (NEW.kind = 'cancel'
      OR (step.target = NEW.target AND step.value = NEW.value AND step.data = NEW.data)))
    BEGIN SELECT RAISE(ABORT, 'attempt: it is not its step'); END;
  CREATE TRIGGER attempt_of_a_living_operation BEFORE INSERT ON attempt WHEN NEW.kind <> 'cancel' AND NOT EXISTS (
    SELECT 1 FROM operation WHERE id = NEW.operation AND state IN ('OPEN', 'EXECUTING'))
    BEGIN SELECT RAISE(ABORT, 'attempt: its operation is closed'); END;
  ${never('attempt', 'UPDATE', ' OF hash, operation, idx, raw, kind, chain_id, nonce, target, value, data, gas, max_fee, max_priority, created')}
  ${never('attempt', 'DELETE')}

  CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, idx INTEGER, was TEXT NOT NULL, becomes TEXT NOT NULL,
    why TEXT NOT NULL, at INTEGER NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
  ) STRICT;
  ${never('event', 'UPDATE')}
  ${never('event', 'DELETE')}

  CREATE TABLE head (chain_id INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL, seen INTEGER NOT NULL) STRICT;
  `,
  `
  CREATE TABLE hold (
    operation TEXT NOT NULL REFERENCES operation (id), asset TEXT NOT NULL, amount TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (operation, asset)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX hold_by_asset ON hold (asset, at);
  ${never('hold', 'UPDATE')}
  ${never('hold', 'DELETE')}

  CREATE TABLE pin (
    chain_id INTEGER NOT NULL, address TEXT NOT NULL, code_hash TEXT NOT NULL, implementation TEXT, implementation_hash TEXT,
    at INTEGER NOT NULL, PRIMARY KEY (chain_id, address)
  ) STRICT, WITHOUT ROWID;
  ${never('pin', 'DELETE')}
  `,
  `
  -- A plan may be made anew for what nothing was signed of; the audit trail keeps a hash of each plan.
  DROP TRIGGER step_never_delete;
  CREATE TRIGGER step_never_delete BEFORE DELETE ON step
    WHEN OLD.state <> 'PLANNED' OR EXISTS (SELECT 1 FROM attempt WHERE operation = OLD.operation AND idx = OLD.idx)
    BEGIN SELECT RAISE(ABORT, 'step: what was signed stays'); END;
  CREATE TRIGGER step_of_a_living_operation BEFORE INSERT ON step WHEN NOT EXISTS (
    SELECT 1 FROM operation WHERE id = NEW.operation AND state IN ('OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION'))
    BEGIN SELECT RAISE(ABORT, 'step: its operation is closed'); END;
  DROP TRIGGER operation_never_update;
  ${never('operation', 'UPDATE', ' OF id, idem_key, request_hash, request, kind, wallet, created')}
  CREATE TRIGGER operation_plan BEFORE UPDATE OF plan ON operation
    WHEN OLD.state NOT IN ('OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION')
    BEGIN SELECT RAISE(ABORT, 'operation: it is closed'); END;

  CREATE INDEX event_by_operation ON event (operation, seq);

  -- What our own cancelling transaction closed opens again when a reorganisation takes that away; what a person gave up does not.
  INSERT INTO operation_move VALUES ('CANCELLED', 'EXECUTING');
  CREATE TRIGGER operation_reopens BEFORE UPDATE OF state ON operation
    WHEN OLD.state = 'CANCELLED' AND NEW.state = 'EXECUTING' AND OLD.exit IS NOT 24
    BEGIN SELECT RAISE(ABORT, 'operation: it was given up'); END;
  `,
  `
  -- What an earlier version took for lost may be the step itself, sent elsewhere.
  INSERT OR IGNORE INTO step_move VALUES ('SUPERSEDED', 'BROADCAST');
  `,
  `
  -- Not used any more: what used nonces that nothing of this journal has, by what these nodes said.
  CREATE TABLE elsewhere (
    chain_id INTEGER NOT NULL, wallet TEXT NOT NULL, nonce INTEGER NOT NULL, nodes TEXT NOT NULL, said TEXT NOT NULL,
    hash TEXT, target TEXT, data TEXT, value TEXT, at INTEGER NOT NULL, PRIMARY KEY (chain_id, wallet, nonce)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The quote of a swap from Bitcoin under its idempotency key, which is good for one deposit address.
  CREATE TABLE bitcoin_quote (
    idem_key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, quote TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${never('bitcoin_quote', 'UPDATE')}
  ${never('bitcoin_quote', 'DELETE')}
  CREATE TRIGGER one_key_one_request BEFORE INSERT ON operation
    WHEN EXISTS (SELECT 1 FROM bitcoin_quote WHERE idem_key = NEW.idem_key)
    BEGIN SELECT RAISE(ABORT, 'operation: its key has a quote of a swap from Bitcoin'); END;
  `,
  `
  -- An order of a provider (its hash, uid or deposit address) belongs to one owner: an operation, or a quote of a swap from Bitcoin.
  -- It is free again only if nothing of its operation was ever signed.
  CREATE TABLE used_order (id TEXT PRIMARY KEY, owner TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ${never('used_order', 'UPDATE')}
  CREATE TRIGGER used_order_never_delete BEFORE DELETE ON used_order
    WHEN NOT EXISTS (SELECT 1 FROM operation WHERE id = OLD.owner AND state = 'DROPPED')
    BEGIN SELECT RAISE(ABORT, 'used_order: what is written stays'); END;
  CREATE TRIGGER dropped_operation_frees_its_orders AFTER UPDATE OF state ON operation WHEN NEW.state = 'DROPPED'
    BEGIN DELETE FROM used_order WHERE owner = NEW.id; END;
  `,
  `
  -- What a line of the audit trail records, and what it refers to; \`why\` is for people only.
  DROP TRIGGER event_never_update;
  ALTER TABLE event ADD COLUMN kind TEXT NOT NULL DEFAULT 'moved';
  ALTER TABLE event ADD COLUMN ref TEXT;
  UPDATE event SET kind = 'planned', ref = CASE WHEN length(why) > 65 THEN substr(why, -64) END
    WHERE idx IS NULL AND was = '' AND why GLOB 'planned*';
  UPDATE event SET kind = 'replanned', ref = substr(why, -64) WHERE idx IS NULL AND was = becomes AND why GLOB 'planned anew, *';
  UPDATE event SET kind = 'signed', ref = substr(why, -64) WHERE idx IS NOT NULL AND why GLOB 'signed 0x*';
  UPDATE event SET kind = 'reserved', ref = substr(why, 7) WHERE becomes = 'RESERVED' AND why GLOB 'nonce *';
  UPDATE event SET kind = 'superseded', ref = CASE WHEN why GLOB '0x*' AND length(why) = 66 THEN why END WHERE becomes = 'SUPERSEDED';
  UPDATE event SET kind = 'final', ref = CASE WHEN instr(why, ', ') > 0 THEN substr(why, instr(why, ', ') + 2) END
    WHERE idx IS NOT NULL AND (becomes GLOB 'FINAL_*' OR becomes = 'CANCELLED');
  UPDATE event SET kind = 'reopened' WHERE idx IS NULL AND why GLOB 're-opened*';
  UPDATE event SET kind = 'replaced' WHERE becomes = 'DROPPED' AND why = 'planned anew before anything was signed';
  ${never('event', 'UPDATE')}
  `,
  `
  -- A payment from another chain, signed elsewhere, that a leg waits for: a swap from Bitcoin is an operation.
  ALTER TABLE leg ADD COLUMN deposit_address TEXT;
  ALTER TABLE leg ADD COLUMN deposit_memo TEXT;
  ALTER TABLE leg ADD COLUMN deposit_amount TEXT;
  ALTER TABLE leg ADD COLUMN deposit_until INTEGER;
  ALTER TABLE leg ADD COLUMN deposit_hash TEXT;
  DROP TRIGGER leg_never_update;
  ${never('leg', 'UPDATE', ' OF operation, leg, chain_id, arrival_token, arrival_minimum, arrival_recipient, deposit_address, deposit_memo, deposit_amount, deposit_until')}
  INSERT OR IGNORE INTO operation_move VALUES ('OPEN', 'FAILED');
  `,
  moveBitcoinQuotes,
  `
  -- An operation is read with what was signed for it.
  CREATE INDEX IF NOT EXISTS attempt_by_operation ON attempt (operation, idx);
  `,
  `
  -- What the last answer to an attempt means, and the fees that a refusing node demanded; \`last_answer\` has its words, for people only.
  ALTER TABLE attempt ADD COLUMN answer_class TEXT;
  ALTER TABLE attempt ADD COLUMN demanded_fee TEXT;
  ALTER TABLE attempt ADD COLUMN demanded_tip TEXT;
  UPDATE attempt SET answer_class = CASE
    WHEN last_answer IN ('accepted', 'known') THEN last_answer
    WHEN substr(last_answer, 1, instr(last_answer, ': ') - 1) IN
      ('unknown', 'cheap', 'fee', 'under', 'low', 'high', 'funds', 'dear', 'gas', 'chain', 'barred', 'refused')
      THEN substr(last_answer, 1, instr(last_answer, ': ') - 1)
    ELSE 'inferred' END
    WHERE last_answer IS NOT NULL;
  UPDATE attempt SET last_answer = CASE WHEN answer_class IN ('accepted', 'known') THEN ''
    ELSE substr(last_answer, instr(last_answer, ': ') + 2) END
    WHERE answer_class <> 'inferred';
  `,
]
