/**
 * Loaded into every child before anything else: when the launcher is gone, however it went, the child gets the signal
 * to stop. So early, because a launcher killed while the child is still loading would go unnoticed otherwise.
 */
const follow = () => process.kill(process.pid, 'SIGTERM');

if (process.connected === false) follow();
else process.once('disconnect', follow);
