'use strict';
/**
 * Loads the modules of dynalite that are used, apart from those of other programs in this process: some of their
 * functions are replaced. Node's cache of modules has the same content afterwards.
 */
const { dirname, sep } = require('node:path');

const folder = dirname(require.resolve('dynalite/package.json')) + sep;
const loaded = () =>
  Object.keys(require.cache).filter((file) => file.startsWith(folder) && !file.includes('node_modules', folder.length));

const actions = ['batchGetItem', 'batchWriteItem', 'deleteItem', 'getItem', 'putItem', 'query', 'scan', 'updateItem'];
const names = [
  'db/index.js',
  'db/conditionParser.js',
  'db/projectionParser.js',
  'db/updateParser.js',
  'validations/index.js',
  ...actions.flatMap((action) => [`actions/${action}.js`, `validations/${action}.js`]),
];

const ofOthers = loaded().map((file) => /** @type {const} */ ([file, require.cache[file]]));
for (const [file] of ofOthers) delete require.cache[file];
module.exports = Object.fromEntries(names.map((name) => [name, require(`dynalite/${name}`)]));
for (const file of loaded()) delete require.cache[file];
for (const [file, module] of ofOthers) require.cache[file] = module;
