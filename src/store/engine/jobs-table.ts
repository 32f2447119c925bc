/** The table of jobs: one row for each queue and key. `due_at`, `again_at` and `claimed_until` are epoch ms. */
export const jobsSchema = `create table jobs (
     queue text not null, key text not null, due_at bigint not null, again_at bigint, claim text, claimed_until bigint, primary key (queue, key));
   create index jobs_due on jobs (queue, due_at)`
