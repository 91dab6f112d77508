import fc from 'fast-check';

// The same cases on every machine and in every run; FC_SEED=$RANDOM npm run test:unit looks for others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_116) });
