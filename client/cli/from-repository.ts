/** `npm run cli`: npm runs scripts in the folder of the project, but the files are named from the user's folder. */
process.chdir(process.env.INIT_CWD ?? '.');
await import('./main.ts');
