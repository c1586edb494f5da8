// Generated from the contract by `npm run generate:client`. Do not edit.

export interface paths {
    "/api/activity-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's actions
         * @description Newest first, an entry for each change: profile, password (not its value), users, tokens, templates, uploads, videos, reprocess, streams, outputs, nodes, SSH keys. A token needs the ability *.
         */
        get: operations["activityLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Bandwidth, sessions and encoding metrics
         * @description Of all users. from and to default to the last 30 days; one row for each day, zeros included; at most 366 days. A video counts at most once as completed and at most once as failed, each on the day when it first reached that status, however often it is processed again. cpu_seconds is the CPU time of all attempts that workers reported, including attempts that failed, were cancelled or were superseded by another worker. A token needs the ability admin.
         */
        get: operations["analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/videos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's most watched videos
         * @description Most first, by views, watched seconds or delivered bytes; videos without any are left out. from and to default to the last 30 days; at most 366 days. A request reads at most about 50,000 rows, one for each video and day: with more of them the first days are left out, and from in the response is the first day that is counted. A token needs the ability usage:read.
         */
        get: operations["mostWatchedVideos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/direct-uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token for one upload
         * @description The token is a bearer token for the operations of /api/objstore, for one upload that becomes a video of the caller. The template, the external IDs, the metadata, the tags, the clip, the picture, the tracks and, if it is given here, the file name are those of this request, whatever the upload request contains. A repeated create continues the upload of the token; after completion it answers 409. Clients that cannot send headers use the path /api/direct-uploads/{upload_token}/s3 instead of /api/objstore. DELETE /api/uploads/{ulid} revokes the token. A token needs the ability uploads:write.
         */
        post: operations["createDirectUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/estimates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Estimate what a template makes of a source, and its costs
         * @description Nothing is stored. Renditions and outputs are those that the source would get, if it has one stereo track, a constant frame rate and a bitrate that does not limit the ladder. The bitrate of a rendition with crf is the usual one for this quality, up to its cap. Bytes are without the overhead of containers, images and manifests. The range of CPU seconds is that of measured videos, from filmed scenes to noise. Costs are list prices of AWS for encoding and everything that a run needs, without storage and delivery; on own nodes and on one machine encoding costs what they cost. 422 also for a source that is too long for the template. A token needs the ability templates:write or uploads:write or videos:read.
         */
        post: operations["estimate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's events
         * @description Of the last 7 days, oldest first, for clients that cannot receive requests. To get later events, pass `meta.next_cursor` as `after`: it is the last event, also on the last page, and null when there was none yet. Events appear two seconds after their change. Administrators also get the events of nodes. A token needs the ability videos:read or webhooks:write.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's images
         * @description Newest first, at most 100. A token needs the ability templates:write.
         */
        get: operations["listImages"];
        put?: never;
        /**
         * Upload an image for watermarks
         * @description The body is the file: JPEG, PNG or WebP, at most 4 MiB, 16 to 4096 pixels a side. Templates name it in watermark.image. Transparent pixels stay transparent; of an animation the first frame is used. A user has at most 100 images, and as many that were deleted within 14 days. A token needs the ability templates:write.
         */
        post: operations["createImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/images/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an image
         * @description 409 while a template uses it. Videos that were made with it stay as they are, and a video in processing still gets it. A token needs the ability templates:write.
         */
        delete: operations["deleteImage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's ingests
         * @description Newest first. Ingests that have ended are listed for 30 days. A token needs the ability uploads:write.
         */
        get: operations["listIngests"];
        put?: never;
        /**
         * Fetch a file from a URL or a storage
         * @description A worker fetches the file and stores it as an upload of the caller, which becomes a video. The URL must be http or https, at most 2048 characters, and its host and those of up to five redirects must have public addresses only. Ingests of a user run one after the other unless the stage allows more. The file may have as many bytes as an upload, 5497558138880, and no more than the quota allows. Limits and errors are those of uploads. Give `storage` and `key` instead of `url` for an object in a storage. A token needs the ability uploads:write.
         */
        post: operations["createIngest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingests/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An ingest
         * @description A token needs the ability uploads:write.
         */
        get: operations["getIngest"];
        put?: never;
        post?: never;
        /**
         * Cancel an ingest, or remove one that has ended from the list
         * @description The worker stops and what it has stored is deleted. The video of a stored ingest stays. 409 while the stored parts are joined. A token needs the ability uploads:write.
         */
        delete: operations["deleteIngest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingests/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's batches of ingests
         * @description Newest first, at most 100, of the last 30 days. A token needs the ability uploads:write.
         */
        get: operations["listIngestBatches"];
        put?: never;
        /**
         * Fetch all files below a prefix of a storage
         * @description The keys are listed in the background, in their order, and each makes one ingest at most. Ingests are created while fewer than 50 uploads of the user are open. Folders and empty objects are skipped. The key or role of the storage needs the permission to list. At most 20 batches of a user are listed at a time. A token needs the ability uploads:write.
         */
        post: operations["createIngestBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingests/batch/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A batch of ingests
         * @description A token needs the ability uploads:write.
         */
        get: operations["getIngestBatch"];
        put?: never;
        post?: never;
        /**
         * Cancel a batch of ingests
         * @description It creates no more ingests. Those that exist go on. Nothing changes when its listing has ended. A token needs the ability uploads:write.
         */
        delete: operations["cancelIngestBatch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller, with quota and use
         * @description Only administrators change the quota. null means no limit. A token needs the ability *.
         */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List nodes
         * @description Ordered by id. Without page, per_page and cursor the answer has all rows, up to 1,000, and meta.next_cursor only when there are more. A token needs the ability admin.
         */
        get: operations["listNodes"];
        put?: never;
        /**
         * Register a node
         * @description Creates the record in status pending; nothing runs on the server yet. A second node with the same ip_address and type answers 422. A token needs the ability admin.
         */
        post: operations["createNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/nodes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a node
         * @description A token needs the ability admin.
         */
        get: operations["getNode"];
        /**
         * Change a node
         * @description Fields left out stay. 409 while a step runs, and while the node is draining or deleting. Containers get the new settings with the next configure and start. An active proxy keeps its deployed hostname until configure, certificate and verify have run for the new one. A token needs the ability admin.
         */
        put: operations["updateNode"];
        post?: never;
        /**
         * Delete a node and its containers
         * @description Sets the status to deleting; then a background job removes the labelled containers and the record (GET answers 404 from then on). When the server cannot be reached the node becomes failed with last_error; force=true drops the record without touching the server (204). 409 while a step runs. A token needs the ability admin.
         */
        delete: operations["deleteNode"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/nodes/{id}/containers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Containers on the node
         * @description Live over SSH, 20 s limit. Only containers with the service label. A token needs the ability admin.
         */
        get: operations["nodeContainers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/nodes/{id}/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run one deployment step
         * @description Runs in the background; follow it with GET .../deploy/steps. 422 for a step the node does not have. 409 while a step runs, or while an earlier required step has not succeeded. A token needs the ability admin.
         */
        post: operations["deploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/nodes/{id}/deploy/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deployment steps of the node with their last result
         * @description In order. A token needs the ability admin.
         */
        get: operations["deploySteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/nodes/{id}/pending-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Queue statistics
         * @description pending counts the queued jobs that a worker of the node could lease now. Nodes share one queue and run jobs of every kind, so it is the same on all active worker nodes, and 0 on a node that is not active. All zeros for a proxy. Not wrapped. A token needs the ability admin.
         */
        get: operations["nodePendingJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/objstore/multipart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a multipart upload
         * @description An unknown or foreign template answers 422 on metadata.template. At most 100 uploads may be open: a new one replaces the oldest that has received nothing for an hour, and answers 422 when there is none. The declared size is held of the quota until the upload is stored or closed. With an upload token, metadata is not needed, and a repeated call continues the same upload: 409 after its completion. A token needs the ability uploads:write.
         */
        post: operations["createMultipart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/objstore/multipart/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List uploaded parts
         * @description All parts, ascending. During completion and for 24 h after it, the parts of the completion: Uppy 6 lists parts before it repeats a completion that got no response. A token needs the ability uploads:write.
         */
        get: operations["listParts"];
        put?: never;
        post?: never;
        /**
         * Abort the upload
         * @description 200 with {}: Uppy 4 and 5 parse the body. A second abort also answers 200; after completion 409. An upload token stays valid after its own abort, so the upload can begin again; an abort by the owner revokes it. A token needs the ability uploads:write.
         */
        delete: operations["abortMultipart"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/objstore/multipart/{uploadId}/{partNumber}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign one part
         * @description Where the upload is limited, by max_bytes of its token or a quota of uploaded bytes, the URL takes a part of one length only, also without size: parts then have the suggestedPartSize unless the first signed ones have another. 422 when no such part belongs to a file of the declared size. A token needs the ability uploads:write.
         */
        get: operations["signPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/objstore/multipart/{uploadId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete the upload
         * @description Body up to 4 MiB. A repeat after success answers the same. When the store takes longer than 25 s, the answer is 200 and completion continues. Unknown or too small parts answer 422 on parts, an object over 5 TiB or over max_bytes of its upload token 413, and parts that exceed the quota together 402: the upload stays open. A token needs the ability uploads:write.
         */
        post: operations["completeMultipart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/objstore/params": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Parameters of a single-request upload
         * @description An S3 POST policy for one object up to 5 GiB, which makes a video like a multipart upload does, once: objects sent with the form after that are deleted. Each call opens a new upload, limited to 100 open uploads like multipart uploads. A cross-site call with the session cookie therefore answers 419 like a POST. The texts null and undefined count as absent. With a quota, the form takes at most what is left of it, and a file that exceeds it when it arrives becomes a failed video with QUOTA_EXCEEDED. With an upload token, metadata is not needed, the form is valid no longer than the token, and a repeated call signs another form for the same upload. A token needs the ability uploads:write.
         */
        get: operations["uploadParams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document, generated from the schemas that validate requests */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/outputs/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a failed output
         * @description Only when status is failed, else 409. The video and its other outputs do not change. A token needs the ability videos:write.
         */
        delete: operations["deleteOutput"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change own name and email
         * @description A new email needs a session that was confirmed within 15 minutes. A token needs the ability *.
         */
        put: operations["updateProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/profile/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change own password
         * @description Other sessions end; API tokens stay. A wrong current_password is a 422 on that field. Attempts are limited together with those of /login, then 429 with errors.current_password. A token needs the ability *.
         */
        put: operations["updatePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Queued jobs
         * @description Users with queued jobs in the order in which they are served, and how many jobs of each kind each has. Up to 50 users and 500 jobs of each are counted; capped says that there are more. oldest_age_seconds is the longest wait of the jobs that are next for their user: the later jobs of a user wait for the first. Counts lag by about a second. A token needs the ability admin.
         */
        get: operations["readQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the session with the password
         * @description For 15 minutes, as after the sign-in, the session may change the email, create and revoke tokens, and change users: those answer 403 with password_confirmation_required otherwise. Takes the session cookie; tokens are never asked. A wrong password is a 422 on the field. Attempts are limited together with those of /login, then 429 with errors.password.
         */
        post: operations["confirmSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Settings of the stage
         * @description What the operator set for this stage, and the defaults of what was left out. Read-only: settings are changed in cdk.json, or for npm start in its environment, and take effect with the next deployment or start. Without secrets and ARNs. limits are the same on every stage. A token needs the ability admin.
         */
        get: operations["readSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ssh-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List SSH keys
         * @description Ordered by id. A token needs the ability admin.
         */
        get: operations["listSshKeys"];
        put?: never;
        /**
         * Store an SSH key
         * @description The keys must match; a private key with a passphrase answers 422. The private key is kept in a secret store and never returned. Ed25519, RSA from 2048 bits, and ECDSA; the private key in OpenSSH or PEM format. A token needs the ability admin.
         */
        post: operations["createSshKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ssh-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an SSH key
         * @description A token needs the ability admin.
         */
        get: operations["getSshKey"];
        put?: never;
        post?: never;
        /**
         * Delete an SSH key
         * @description 409 while a node uses it. A token needs the ability admin.
         */
        delete: operations["deleteSshKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/storages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's storages
         * @description In order of creation, at most 20. The answer never has a secret. A token needs the ability templates:write or uploads:write.
         */
        get: operations["listStorages"];
        put?: never;
        /**
         * Add a storage
         * @description A bucket in a store with the API of S3. Give access_key_id and secret_access_key, or on AWS role_arn: the answer then has the external id and the account for the trust policy of the role. The secret is kept in a secret store and never returned. The addresses of the store must be public. Nothing is sent to the store yet: `POST /api/storages/{ulid}/test` tries it. A user has at most 20 storages. A token needs the ability templates:write.
         */
        post: operations["createStorage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/storages/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a storage
         * @description A token needs the ability templates:write or uploads:write.
         */
        get: operations["getStorage"];
        /**
         * Change a storage
         * @description Fields left out keep their values. A new secret is used at once. Another endpoint needs the secret again. An access key replaces a role, and a role an access key. Deliveries and ingests that run continue with the changed storage. A token needs the ability templates:write.
         */
        put: operations["updateStorage"];
        post?: never;
        /**
         * Delete a storage
         * @description Its secret is deleted too. Nothing in the bucket changes. 409 while a template names it, or a delivery or an ingest of it has not ended. A token needs the ability templates:write.
         */
        delete: operations["deleteStorage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/storages/{ulid}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a storage
         * @description Writes, reads, lists and deletes one small object with a random name below the prefix. The answer is 200 also when a step fails: `ok` is false then, and the step says what to do. Steps after a failed one are left out, except that a written object is deleted. Listing is needed only by ingests of a whole prefix, so that `ok` does not depend on it. A token needs the ability templates:write.
         */
        post: operations["testStorage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a track to a video
         * @description Encodes one more track from the original of a completed video (409 otherwise). A video or audio stream joins the HLS and DASH outputs, whose manifests are rebuilt and then swapped in; for outputs with other segment lengths additional streams are created. A muxed stream becomes a separate MP4 output with the first audio stream. codec is required in input_params. A token needs the ability videos:write.
         */
        post: operations["createStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/streams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Rename a track or change its parameters
         * @description Fields and input_params that are left out keep their values. width and height are one setting: setting one of them leaves the other free. A new codec resets profile, level and pixel_format. loudness null and two_pass false turn these off. When the parameters change, the track is encoded again (409 while it is being encoded) and the old one plays until then. Not allowed on type original (422). A token needs the ability videos:write.
         */
        put: operations["updateStream"];
        post?: never;
        /**
         * Delete a track
         * @description Manifests of outputs that used it are rewritten. 409 for the original, for a track that is being encoded, and for the only video track of an output. The MP4 output of a muxed stream is deleted too. A token needs the ability videos:write.
         */
        delete: operations["deleteStream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tags of the caller's videos
         * @description In order of their code points, each with the number of videos that have it. A token needs the ability videos:read.
         */
        get: operations["listTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/template-presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Built-in presets
         * @description In display order. A token needs the ability templates:write or uploads:write or videos:read.
         */
        get: operations["listPresets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/template-presets/{slug}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a template from a preset
         * @description The body may be absent; the template then has the preset's name. Each call creates a new template. A token needs the ability templates:write.
         */
        post: operations["adoptPreset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's templates and the shared ones
         * @description Newest first. A token needs the ability templates:write or uploads:write or videos:read.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a template
         * @description query up to 64 KiB. With shared, which only administrators may send, every user can read and use the template. A token needs the ability templates:write.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Encoding options
         * @description Not wrapped. A token needs the ability templates:write or uploads:write or videos:read.
         */
        get: operations["templatesConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a template
         * @description A template of the caller, a shared template, or a template of another user that a video of the caller uses, for example after the video was reassigned. The caller cannot list, change or delete the latter. A token needs the ability templates:write or uploads:write or videos:read.
         */
        get: operations["getTemplate"];
        /**
         * Change a template
         * @description Fields left out keep their values; query is replaced as a whole. Videos already in processing keep the query that they started with. Only administrators change a shared template, also when another user owns it (403). With shared false, it is used by its owner only; videos of others that use it keep it. A token needs the ability templates:write.
         */
        put: operations["updateTemplate"];
        post?: never;
        /**
         * Delete a template
         * @description 409 while videos or open uploads refer to it: the message says how many. A shared template is deleted by administrators only (403). A token needs the ability templates:write.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's tokens
         * @description A token needs the ability *.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description Works with the session cookie, which is needed for the first token. At most 100 tokens per user (409). With abilities, the token may do only what they allow, otherwise everything. It is answered 401 with token_expired from expires_at on. A token needs the ability *.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description Own tokens only (404 otherwise). A token may revoke itself. A token needs the ability *.
         */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's open uploads
         * @description Newest first. Uploads that became videos or were aborted are not listed. A token needs the ability uploads:write.
         */
        get: operations["listUploads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/uploads/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Abort an open upload
         * @description For every kind. Received data is deleted, and a form that is sent afterwards makes no video. The token of a direct upload is revoked, also before the upload begins. Idempotent. 409 while the upload completes and afterwards: delete the video instead. A token needs the ability uploads:write.
         */
        delete: operations["deleteUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's usage
         * @description Sums per (metric, external_user_id, date), ordered by date, metric, external_user_id; at most 366 days. An empty external_user_id selects rows without one. encoding_cpu is the CPU time of work whose result was used: attempts that failed, were cancelled or were superseded are not charged to a user. stored_bytes is the largest amount of the day. delivered_bytes, views and watched_seconds are counted from the access logs, some minutes after the delivery. Rows with the value 0 are omitted. A token needs the ability usage:read.
         */
        get: operations["usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Ordered by id. Without page, per_page and cursor the answer has all rows, up to 1,000, and meta.next_cursor only when there are more. A token needs the ability admin.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description A token needs the ability admin.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Not wrapped. A token needs the ability admin.
         */
        get: operations["getUser"];
        /**
         * Change a user
         * @description Fields left out keep their values; quota is replaced as a whole, and null removes it. A quota below what is used already refuses new work and stops none. Removing is_admin from the last administrator answers 409. The password is changed with PUT /api/users/{id}/password. A token needs the ability admin.
         */
        put: operations["updateUser"];
        post?: never;
        /**
         * Delete a user
         * @description 409 while the user owns videos (reassign them with PUT /api/videos/{ulid} user_id, or delete them), when it is the caller, or the last administrator. Tokens and sessions go; open uploads are aborted; templates pass to the caller; usage and activity rows stay. A token needs the ability admin.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a user's password
         * @description All sessions of the user end, also the caller's own. API tokens stay valid. A token needs the ability admin.
         */
        put: operations["updateUserPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's videos
         * @description By created_at, newest first. With a filter (status, template_id, external_user_id, tag, created_from, created_to, q) the list has no total: cursor continues it, and a page can have fewer videos than per_page, also none, while next_cursor is not null. All filters must match. meta.streams of an original is left out where it is longer than 8 KiB; read the single video for it. A page that would be too large for one response answers 422: use a smaller per_page. There is no POST (405): the event of a finished upload creates the video. A token needs the ability videos:read.
         */
        get: operations["listVideos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a video
         * @description Owner or administrator; others get 404. A token needs the ability videos:read.
         */
        get: operations["getVideo"];
        /**
         * Change name, description, template, playback, expiry or owner
         * @description Fields left out keep their values; tags are replaced as a whole, and metadata is merged. A new template_id must be a template of the caller or of the video's owner, or a shared one. It is used for encoding only while status is pending; while downloading, running or uploading it answers 409; afterwards it changes the reference, and POST /api/videos/{ulid}/reprocess encodes with it. playback public makes the URLs of sources stable and gives everyone who has one access without expiry; back to signed ends them within 60 seconds. user_id, the new owner, is for administrators. A token needs the ability videos:write.
         */
        put: operations["updateVideo"];
        post?: never;
        /**
         * Delete a video, its streams, outputs and files
         * @description A running execution is stopped first. The record is deleted at once for all readers; files are deleted in the background. A token needs the ability videos:write.
         */
        delete: operations["deleteVideo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Views, watch time and playback quality of a video
         * @description Owner or administrator; others get 404. from and to default to the last 30 days; one row for each day, zeros included; at most 366 days. From the access logs, some minutes after the delivery. A view is a playback that has loaded a part of the picture or sound. Watched seconds are the positions of the video that a playback has loaded, each once. playback is what players tell by CMCD; docs/analytics.md has the definitions. A token needs the ability usage:read.
         */
        get: operations["videoAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/captions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Captions and other text tracks of a video
         * @description At most 100, by language and kind. Owner or administrator; others get 404. A token needs the ability videos:read.
         */
        get: operations["listCaptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/captions/{language}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload captions as WebVTT or SubRip
         * @description A file in UTF-8, at most 2 MiB, for a video in any status. As application/x-subrip, also of a WebVTT file, UTF-16 with a byte order mark is read too. Replaces captions of the same language and kind (200). Cues are put in order; cues without a text or a readable time, styles, regions and unknown tags are removed. A file without a cue is 422. The manifests of completed outputs list the captions within 2 seconds: read the sources again. Those that are being encoded list them when they are completed. A token needs the ability videos:write.
         */
        put: operations["putCaptions"];
        post?: never;
        /**
         * Delete captions
         * @description Manifests that listed them are replaced within 2 seconds. A token needs the ability videos:write.
         */
        delete: operations["deleteCaptions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/captions/{language}/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Captions as text
         * @description A line for each cue with its time, such as `[00:00:01.000] Guten Morgen!`, without tags. Of captions of each origin; 404 while they have no file. A token needs the ability videos:read.
         */
        get: operations["getCaptionText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/captions/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make captions from speech
         * @description Workers recognise what is said in the first audio track, or in the one of the given language, when no video waits for them. Until then the captions are pending; without a language, und is theirs until the spoken one is detected. The end is an event, captions.added or captions.failed. A request for captions that are being made returns them. 409 unless the video is completed, without a model of speech, and for captions that exist unless replace is set: those stay until the new ones are made. The CPU time counts as that of encodes; 402 when the quota of the owner does not allow it. The body is optional. A token needs the ability videos:write.
         */
        post: operations["generateCaptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/clips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a video of a part of a video
         * @description The source is copied inside the store, so nothing is uploaded, and the new video is processed like an upload of it with this clip. Times are seconds of the video, also where that is a clip itself; clip of the new video has those of the source. The caller must own the video. Without name and template, those of the video are used. The copy counts as uploaded bytes. 422 when the start is after the end of the video; a clip without a frame fails with INPUT_CLIP_EMPTY. A token needs the ability videos:write.
         */
        post: operations["createClip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deliveries of a video to storages
         * @description Newest first, at most 100. Those that have ended are listed for 90 days. A token needs the ability videos:read.
         */
        get: operations["listStorageDeliveries"];
        put?: never;
        /**
         * Copy the files of a video to a storage
         * @description For a completed video. Without `storage`, the last delivery of the video is repeated, with the given fields changed. Files that the storage has are replaced; none are deleted. A worker copies the files: media first, manifests last. The copy plays by itself. A token needs the ability videos:write.
         */
        post: operations["createStorageDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/embed-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link to the embed player
         * @description url is a page with a player of this video, for an iframe. It is valid for expires_in seconds, and so are the media URLs on it. With allowed_domains, only pages of these domains can frame it; without, every page can. The token is not stored and cannot be revoked: deleting the video ends it. A public video needs no token: its page is /embed/{ulid}. A token needs the ability playback:read.
         */
        post: operations["createEmbedToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of a video
         * @description The jobs of the probe, of the present plan of the video and of the stream edit that is running, in this order, and by kind, group and index. A job is listed from the moment it is queued; summary also counts those that follow. summary counts all pages; for a plan with more than 1,000 jobs it is up to 30 seconds old. To read the next page, send meta.next_cursor as cursor; it is null on the last page. A token needs the ability videos:read.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/original": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download URL of the uploaded file
         * @description The file as it was uploaded, from the store; a browser saves it under its name. A download that has begun before expires_at continues after it. 409 with source_deleted when the file is deleted, by the retention of its template or because it was not accepted. A token needs the ability videos:read.
         */
        get: operations["videoOriginal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/poster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Make the poster from a frame or an image
         * @description The frame that is shown at at_seconds, or an image of 64 to 8192 pixels a side: the body itself up to 4 MiB, or the upload of createPosterUpload up to 5 MiB. A worker makes the poster of it, in the size and format of the template; thumbnail_path changes when it is finished, and stays as it is if the frame or the image cannot be decoded. The image is decoded and encoded again, so nothing else in the file is delivered: its orientation is applied, transparent pixels show the background of the template, and of an animation the first frame is used. 409 unless the video is completed, and while another poster is being made; 422 outside of the duration, and for a file that is no such image. Processing the video again keeps the poster. A token needs the ability videos:write.
         */
        put: operations["setPoster"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/poster/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a URL for the image of a poster
         * @description For images that are larger than the body of a request may be, 4 MiB. PUT the file, of exactly size bytes, to the URL within the hour, then name the upload in PUT /api/videos/{ulid}/poster. 409 unless the video is completed. A token needs the ability videos:write.
         */
        post: operations["createPosterUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the pipeline again
         * @description For a completed or failed video (409 otherwise), which goes back to pending. Finished parts are reused when the template is the same. With another template everything is made again, and with force every job runs again, starting with the probe: changes of streams are discarded. 409 without either when a stream of an output that has failed was changed or deleted. 402 when the quota of the owner does not allow it. Existing outputs play until the new ones are complete. The body is optional. A token needs the ability videos:write.
         */
        post: operations["reprocessVideo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/videos/{ulid}/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streaming URLs
         * @description One entry for each output from its playable_at on, which may be while it is encoded; an empty list while none plays. All URLs are valid until expires_at, for the files of this video only; those of a public video are stable and do not expire. With &download=1 appended, the URL of an MP4 answers with a Content-Disposition that has the name of the video. In a stage that delivers through proxy nodes only, 503 with Retry-After when none is active. A token needs the ability playback:read or videos:read.
         */
        get: operations["videoSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's webhooks
         * @description In order of creation. The answer never has a secret. A token needs the ability webhooks:write.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The service sends each event of the given types as a POST request to the URL, by the specification of Standard Webhooks. `external_user_id` limits the events to those of one external user. The answer has the secret that verifies the requests, once. At most 20 webhooks per user (422). A token needs the ability webhooks:write.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{ulid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Administrators can read, change and delete every user's. A token needs the ability webhooks:write.
         */
        get: operations["getWebhook"];
        /**
         * Change a webhook
         * @description Fields left out keep their values. `active: true` switches on a webhook that the service has switched off. A token needs the ability webhooks:write.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Delete a webhook
         * @description Nothing is sent to it any more, also no event that has happened before. A token needs the ability webhooks:write.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{ulid}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was sent to a webhook
         * @description Of the last 30 days, newest first. A page of a list with a filter can have fewer entries than `per_page`, also none, although `next_cursor` is not null. A token needs the ability webhooks:write.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{ulid}/deliveries/{delivery}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description With the same id and body, and all attempts of a new event. Nothing changes while it is pending. 409 when the webhook is not active. A token needs the ability webhooks:write.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{ulid}/deliveries/resend-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send all failed events again
         * @description Those since `from` whose last attempt failed, oldest first. A request reads a part of the deliveries and sends at most 1,000: `resent` says how many, and can be 0 although more follow. Send `meta.next_cursor` as `cursor` with the same `from` until it is null. 409 when the webhook is not active. A token needs the ability webhooks:write.
         */
        post: operations["resendFailedWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{ulid}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get another secret
         * @description For 24 hours the requests are signed with the new and with the previous secret. A token needs the ability webhooks:write.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{ulid}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends `webhook.test` once, also when the webhook is not active. A token needs the ability webhooks:write.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Live workers
         * @description Workers that have a job or have called within the last two and a half minutes, in order of node and name. A worker that has stopped is listed until its lease expires or that time has passed. A token needs the ability admin.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness: the table is available and the service is set up
         * @description 503 until the setup has created the first administrator, and while the table is unavailable.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a session
         * @description Wrong email and wrong password give the same 422. At most 5 attempts a minute for one email from one address, and 10 from all addresses without a sign-in within 90 days, then 429 with errors.email.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the current session, or all sessions
         * @description Takes the session cookie. Copies of the cookie stop working too; bearer tokens stay valid. With everywhere true, all sessions of the user end, on every device.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oembed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The embed code of a player page, as oEmbed
         * @description For sites that turn a link into a player (oembed.com). url is the address of a player page. The frame has the aspect ratio of the video and fits into maxwidth and maxheight. 404 for another address, a missing video, and a video that is not public when the address has no token; 401 for a wrong or expired token; 501 for a format other than json.
         */
        get: operations["oembed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an account and start a session
         * @description Answers 404 unless the operator has switched registration on, which is off by default. At most 5 a minute and address.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Activity: {
            causer_id: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            description: string;
            event: string;
            id: number;
            log_name: string;
            properties: {
                [key: string]: unknown;
            };
            subject_id: number | null;
            subject_type: string | null;
            subject_ulid: string | null;
        };
        Analytics: {
            data: {
                bandwidth: {
                    series: {
                        bytes: number;
                        /** Format: date */
                        date: string;
                    }[];
                    total_bytes: number;
                };
                encoding: {
                    cpu_seconds: number;
                    series: {
                        completed: number;
                        cpu_seconds: number;
                        /** Format: date */
                        date: string;
                        failed: number;
                    }[];
                    videos_completed: number;
                    videos_failed: number;
                };
                /** Format: date */
                from: string;
                sessions: {
                    series: {
                        count: number;
                        /** Format: date */
                        date: string;
                    }[];
                    total: number;
                };
                /** Format: date */
                to: string;
                /** @description The ten videos with the most views of all users, of as many of the last days as 50,000 rows have. */
                top_videos: {
                    /**
                     * Format: date
                     * @description The first day that is counted. Later than asked for where there are too many rows.
                     */
                    from: string;
                    videos: components["schemas"]["WatchedVideo"][];
                };
                views: {
                    series: {
                        count: number;
                        /** Format: date */
                        date: string;
                    }[];
                    total: number;
                };
                watched: {
                    series: {
                        /** Format: date */
                        date: string;
                        seconds: number;
                    }[];
                    total_seconds: number;
                };
            };
        };
        Caption: {
            /** @description Players show it unless the viewer chooses another. At most one: the last one that was stored. */
            default: boolean;
            /** @description Why an embedded track, or the speech of the video, could not be used. */
            error: string | null;
            kind: components["schemas"]["CaptionKind"];
            label: string;
            /** @description BCP 47 tag; und for an embedded track of unknown language. */
            language: string;
            /**
             * @description generated: made of the speech of the video.
             * @enum {string}
             */
            origin: "upload" | "embedded" | "generated";
            /** @enum {string} */
            status: "pending" | "completed" | "failed";
            ulid: string;
            /**
             * Format: uri
             * @description The WebVTT file. The same for an hour; valid for at least six, of a public video without expiry. Null without a file, or while nothing delivers it.
             */
            url: string | null;
        };
        /** @enum {string} */
        CaptionKind: "captions" | "subtitles" | "forced" | "chapters";
        /** @description The part of the source that the video shows; null for all of it. */
        Clip: {
            end_seconds: number | null;
            start_seconds: number | null;
        } | null;
        Completed: {
            bucket: string;
            key: string;
            /** Format: uri */
            location: string;
            ulid: string;
        };
        CompleteMultipart: {
            parts: {
                ETag: string;
                PartNumber: number;
            }[];
        };
        Container: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            id: string;
            image: string;
            name: string;
            /** @enum {string} */
            state: "created" | "running" | "paused" | "restarting" | "removing" | "exited" | "dead";
            /** @example Up 3 hours */
            status: string;
        };
        CreateClip: {
            end_seconds?: number | null;
            /** @description Metadata of the video. */
            metadata?: {
                [key: string]: string;
            } | string;
            name?: string | null;
            start_seconds?: number | null;
            /** @description Tags of the video. */
            tags?: string[] | string;
            /** @description ULID of a template of the caller, or of a shared one. */
            template?: string | null;
        };
        CreateDirectUpload: {
            /** @description Browsers may use the token on pages of this origin only, and the answers have the CORS headers for it. Without it, browsers may use the token on the origins of the setting allowedOrigins. */
            allowed_origin?: string | null;
            /** @description The part of the file that becomes the video, in seconds from the start of its presentation. It begins with the frame that is shown at start_seconds (0 by default) and ends before end_seconds (the end of the file by default). */
            clip?: {
                end_seconds?: number | null;
                start_seconds?: number | null;
            } | string | null;
            /** @description Seconds; 21600 by default. */
            expires_in?: number | null;
            externalResourceId?: string | number | null;
            externalUserId?: string | number | null;
            /** @description Without it, the upload request chooses the name. */
            filename?: string | null;
            max_bytes?: number | null;
            /** @description Metadata of the video. */
            metadata?: {
                [key: string]: string;
            } | string;
            /** @description Instead of all of `picture` in the template, for this video: how its picture is changed. */
            picture?: {
                /** @description What is cut off each side: a share such as "10%", or pixels of the picture as displayed. */
                crop?: {
                    /** @default 0 */
                    bottom?: string | number;
                    /** @default 0 */
                    left?: string | number;
                    /** @default 0 */
                    right?: string | number;
                    /** @default 0 */
                    top?: string | number;
                };
                /**
                 * @description Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.
                 * @default auto
                 * @enum {string}
                 */
                deinterlace?: "auto" | "off" | "double";
                /**
                 * @description horizontal: left and right are exchanged. vertical: top and bottom are exchanged.
                 * @enum {string}
                 */
                flip?: "horizontal" | "vertical";
                /**
                 * @description Degrees, clockwise.
                 * @default 0
                 * @enum {number}
                 */
                rotate?: 0 | 90 | 180 | 270;
            } | string | null;
            /** @description Tags of the video. */
            tags?: string[] | string;
            /** @description ULID of a template of the caller, or of a shared one. */
            template: string;
            /** @description Instead of all of `tracks` in the template, for this video: which tracks of the file are used. */
            tracks?: {
                /**
                 * @description The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.
                 * @default auto
                 */
                audio?: "auto" | {
                    /** @enum {string} */
                    as: "stereo" | "mono" | "5.1";
                    from: number[];
                    language?: string;
                    name?: string;
                }[];
                /** @default auto */
                video?: number | "auto";
            } | string | null;
        };
        CreateIngest: {
            /** @description Without it, the last part of the path of the URL, or of the key. */
            filename?: string | null;
            /** @description The key of the object in the bucket of the storage, with the prefix of the storage. */
            key?: string | null;
            metadata: components["schemas"]["UploadMetadata"];
            /** @description Instead of a URL: a storage of the caller. */
            storage?: string | null;
            /** @description http or https; a user name and a password are sent to this server only. */
            url?: string | null;
        };
        CreateIngestBatch: {
            /** @description At most so many ingests. Default 1000. */
            limit?: number;
            metadata: components["schemas"]["UploadMetadata"];
            /** @description Begins with the prefix of the storage, which is used without it. */
            prefix?: string;
            storage: string;
        };
        CreateMultipart: {
            filename: string;
            /** @default {} */
            metadata?: components["schemas"]["MultipartMetadata"];
            /** @description Bytes of the file, which the quota counts until the upload is completed. Needed by users with a quota of uploaded bytes and by upload tokens with max_bytes. Over 5 TiB answers 413. */
            size?: number | null;
            type?: string | null;
        };
        CreateStorageDelivery: {
            also?: ("poster" | "captions" | "original" | "metadata")[];
            outputs?: "*" | string[];
            path?: string;
            /** @description A storage of the owner of the video. */
            storage?: string;
        };
        /** @description A decision about a source that the template leaves open. */
        Decision: {
            /** @enum {string} */
            code: "video_track_chosen" | "video_track_left_out" | "audio_track_chosen" | "audio_track_left_out" | "audio_tracks_joined" | "program_chosen" | "text_track_left_out" | "frame_rate_chosen" | "frame_rate_capped" | "track_extended" | "level_raised" | "frame_size_chosen" | "picture_cropped" | "picture_unchanged" | "transparency_composited" | "color_assumed";
            /** @description Numbers and names of the decision. */
            facts: {
                [key: string]: (string | number | boolean) | (string | number | boolean)[];
            };
            /** @description One sentence for the uploader. */
            message: string;
        };
        DeployStep: {
            description: string;
            finished_at: string | null;
            log: string | null;
            name: string;
            order: number;
            required: boolean;
            started_at: string | null;
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "succeeded" | "failed";
            step: string;
        };
        Distribution: {
            buckets: {
                count: number;
                from: number;
                /** @description Not included; null: the bucket has no end. */
                to: number | null;
            }[];
            /** @description Playbacks of which the player has told it. */
            count: number;
            /** @description Estimated within its bucket; null without a playback. */
            median: number | null;
            /** @description 95 % of the playbacks are below; estimated like the median. */
            p95: number | null;
        };
        /** @description Error body of every status but 422. No stack trace, no internal ids. */
        Error: {
            code: components["schemas"]["ErrorCode"];
            message: string;
            /** @description As in the header X-Request-Id of every response, and in the log. */
            request_id: string;
        };
        /**
         * @description What went wrong, for programs. docs/errors.md lists all codes, each operation those that it can have.
         * @enum {string}
         */
        ErrorCode: "moved_permanently" | "malformed_body" | "malformed_request" | "unauthenticated" | "token_expired" | "quota_exceeded" | "forbidden" | "password_confirmation_required" | "token_ability_missing" | "upload_token_origin" | "embed_token_invalid" | "not_found" | "no_such_route" | "method_not_allowed" | "request_timeout" | "captions_exist" | "concurrent_change" | "idempotency_in_progress" | "delivery_in_progress" | "image_in_use" | "last_administrator" | "lease_over" | "node_active" | "node_busy" | "node_not_active" | "node_step_missing" | "output_not_failed" | "own_account" | "poster_in_progress" | "source_deleted" | "ssh_key_in_use" | "storage_in_use" | "ingest_batch_limit" | "storage_limit" | "stream_in_progress" | "stream_is_original" | "stream_required" | "streams_changed" | "template_in_use" | "token_limit" | "transcript_search_unavailable" | "transcription_unavailable" | "upload_complete" | "upload_other_way" | "upload_size_unknown" | "user_has_videos" | "video_deleted" | "video_in_progress" | "video_not_completed" | "webhook_inactive" | "embed_token_expired" | "body_too_large" | "file_too_large" | "target_too_long" | "unsupported_media_type" | "csrf_mismatch" | "validation_failed" | "idempotency_key_reused" | "too_many_requests" | "headers_too_large" | "internal_error" | "format_not_supported" | "node_unreachable" | "no_proxy" | "not_set_up" | "request_too_slow" | "service_unavailable";
        Estimate: {
            /** @description What is stored besides the source: renditions once, although HLS and DASH share them, and remuxed outputs (MPEG-TS, MP4) in addition. */
            bytes: number;
            /** @description Processing on AWS: min with all tasks on Spot, max with all on demand. */
            cost: {
                /** @constant */
                currency: "USD";
                max: number;
                min: number;
            };
            /** @description Of all jobs but remuxing, on one core. */
            cpu_seconds: {
                max: number;
                min: number;
            };
            outputs: {
                /** @description Of all its renditions. */
                bytes: number;
                /** @enum {string} */
                container: "fmp4" | "ts" | "mp4";
                /** @enum {string} */
                format: "hls" | "dash" | "mp4";
                name: string;
            }[];
            renditions: {
                /** @description Average in bit/s. */
                bitrate: number;
                bytes: number;
                /** @enum {string} */
                codec: "h264" | "hevc" | "av1" | "vp9" | "aac" | "opus";
                /** @description Null for audio. */
                fps: number | null;
                /** @description Null for audio. */
                height: number | null;
                /** @enum {string} */
                kind: "video" | "audio";
                name: string;
                /** @description Null for audio. */
                width: number | null;
            }[];
        };
        /** @description Video upright and in square pixels, with up to 35,389,440 pixels and 5,184,000 frames. */
        EstimateSource: {
            duration_seconds: number;
            fps: number;
            height: number;
            width: number;
        };
        Event: {
            /** @description The record as the API shows it, with `sequence`: of two events of a video, the later change has the greater one. */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            timestamp: string;
            type: string;
            ulid: string;
        };
        /** @enum {string} */
        FieldErrorCode: "required" | "prohibited" | "wrong_type" | "too_short" | "too_long" | "too_few" | "too_many" | "too_small" | "too_large" | "format" | "email" | "url" | "date" | "unknown" | "taken" | "credentials" | "wrong_password" | "confirmation" | "leaked_password" | "scheme" | "url_credentials" | "not_public" | "loopback" | "no_ipv6" | "node_address" | "key_format" | "key_passphrase" | "key_type" | "key_pair" | "invalid";
        /** @enum {string} */
        Format: "hls" | "dash" | "mp4";
        Image: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            height: number;
            name: string;
            /** @description Bytes. */
            size: number;
            ulid: string;
            /**
             * Format: uri
             * @description The uploaded file, for an hour.
             */
            url: string;
            /** @description In pixels, as the image is shown. */
            width: number;
        };
        Ingest: {
            /** @description Of complete parts. */
            bytes_received: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Of a failed ingest: a code and a sentence. */
            error: string | null;
            external_resource_id: string | null;
            external_user_id: string | null;
            filename: string;
            finished_at: string | null;
            /** @description The key of the object in the storage. */
            key: string | null;
            /** @description Null until the server of the URL has told it. */
            size: number | null;
            /**
             * @description stored: the video exists. pending: it waits for another ingest of the user, or for a worker.
             * @enum {string}
             */
            status: "pending" | "fetching" | "stored" | "failed";
            /** @description The storage that the file is fetched from. */
            storage: string | null;
            /** @description Of the ingest, of its upload, and of the video that is made of it. */
            ulid: string;
            /** @description Without user name, password and query. */
            url: string;
        };
        IngestBatch: {
            /** @description Ingests. */
            created: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Of the listing. */
            ended_at: string | null;
            error: string | null;
            failed: number;
            limit: number;
            prefix: string;
            /** @description Deleted by the user. */
            removed: number;
            /** @description Folders, empty objects, and keys that no URL can name. */
            skipped: number;
            /**
             * @description listing: keys are listed, and ingests created while few uploads are open. fetching: all are created, and some have not ended. completed: all have ended.
             * @enum {string}
             */
            status: "listing" | "fetching" | "completed" | "failed" | "cancelled";
            storage: string;
            stored: number;
            ulid: string;
        };
        /** @description How one stream is encoded. The keys are those of a template. */
        InputParams: {
            bitrate?: string;
            buffer_size?: string;
            /** @enum {number} */
            channels?: 1 | 2 | 6 | 8;
            /** @enum {string} */
            codec?: "h264" | "hevc" | "av1" | "vp9" | "aac" | "opus";
            crf?: number;
            fps?: number;
            gop?: number;
            height?: number;
            language?: string;
            level?: string;
            loudness?: number | null;
            max_bitrate?: string;
            /** @enum {string} */
            pixel_format?: "yuv420p" | "yuv420p10le";
            /** @enum {string} */
            preset?: "ultrafast" | "superfast" | "veryfast" | "faster" | "fast" | "medium" | "slow" | "slower";
            /** @enum {string} */
            profile?: "baseline" | "main" | "high" | "main10" | "profile0" | "profile2";
            /** @enum {number} */
            sample_rate?: 44100 | 48000;
            two_pass?: boolean;
            width?: number;
        };
        Job: {
            /** @description The last 20, the first of them first. */
            attempts: components["schemas"]["JobAttempt"][];
            /**
             * Format: date-time
             * @description When it was first queued.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Of a failed job. */
            error_code: components["schemas"]["JobErrorCode"] | null;
            finished_at: string | null;
            /** @description Of encode-video, the group of streams that are encoded together; of package, the output. 0 otherwise. */
            group: number;
            /** @description Of encode-video, the chunk; of encode-audio, the track; of package, the part of the output. */
            index: number;
            kind: components["schemas"]["JobKind"];
            /** @description The output that it packages. */
            output: string | null;
            /** @description Number of the plan of the video that needs the job; 0 for the probe, which serves all plans. */
            plan: number;
            progress: number;
            /** @description Start of the first attempt that is listed. */
            started_at: string | null;
            status: components["schemas"]["JobStatus"];
            /** @description The streams that it encodes. */
            streams: string[];
        };
        JobAttempt: {
            ended_at: string | null;
            error_code: components["schemas"]["JobErrorCode"] | null;
            /** @description Of a registered node. Administrators only, null for others. */
            node: string | null;
            /**
             * @description pool: a Fargate task, or a worker process of the service on one machine. node: a worker of a registered node.
             * @enum {string}
             */
            node_type: "pool" | "node";
            number: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            started_at: string;
            /**
             * @description superseded: another attempt replaced it. failed with WORKER_STOPPED: the worker stopped calling, and the job was queued again.
             * @enum {string}
             */
            status: "running" | "completed" | "failed" | "cancelled" | "superseded";
            /** @description Name of the worker. Administrators only, null for others. */
            worker: string | null;
        };
        /** @enum {string} */
        JobErrorCode: "INPUT_EMPTY" | "INPUT_NOT_MEDIA" | "INPUT_NO_TRACKS" | "INPUT_TRUNCATED" | "INPUT_DAMAGED" | "INPUT_ENCRYPTED" | "INPUT_TOO_LARGE" | "INPUT_UNSUPPORTED" | "INPUT_CLIP_EMPTY" | "INPUT_CROP_EMPTY" | "INPUT_TRACK_MISSING" | "INPUT_GONE" | "INPUT_UNREACHABLE" | "INPUT_CHANGED" | "INPUT_ADDRESS" | "STORAGE_REFUSED" | "STORAGE_FAILED" | "STORAGE_ADDRESS" | "STORAGE_MISMATCH" | "STORAGE_GONE" | "VIDEO_CHANGED" | "FILES_MISSING" | "OUTPUT_NO_STREAMS" | "QUOTA_EXCEEDED" | "REPLACE_CONFLICT" | "OUTPUT_MISMATCH" | "RESULT_REFUSED" | "ENCODER_FAILED" | "ENCODER_STALLED" | "TIME_LIMIT" | "MEMORY_LIMIT" | "DISK_FULL" | "STORE_FAILED" | "MODEL_UNUSABLE" | "CANCELLED" | "WORKER_STOPPED" | "INTERNAL";
        /** @enum {string} */
        JobKind: "probe" | "quality" | "encode-video" | "encode-audio" | "package" | "thumbnails" | "text" | "ingest" | "deliver" | "transcribe";
        /**
         * @description A job that failed for a reason that may pass is queued again a moment later.
         * @enum {string}
         */
        JobStatus: "queued" | "running" | "completed" | "failed" | "cancelled";
        JobSummary: {
            cancelled: number;
            completed: number;
            failed: number;
            kind: components["schemas"]["JobKind"];
            queued: number;
            running: number;
            /** @description Includes the jobs of the plan that are not queued yet. */
            total: number;
        };
        Me: {
            /** Format: email */
            email: string;
            id: number;
            is_admin: boolean;
            name: string;
            quota: components["schemas"]["Quota"] | null;
            ulid: string;
            usage: components["schemas"]["QuotaUse"];
        };
        /** @description Pairs that the owner has given the video. */
        Metadata: {
            [key: string]: string;
        };
        MultipartCreated: {
            bucket: string;
            key: string;
            suggestedPartSize: number;
            /** @description Of the future video; it answers 404 until the event of the store was handled. */
            ulid: string;
            uploadId: string;
        };
        /** @description Other fields, such as those that Uppy adds, are dropped. */
        MultipartMetadata: {
            /** @description The part of the file that becomes the video, in seconds from the start of its presentation. It begins with the frame that is shown at start_seconds (0 by default) and ends before end_seconds (the end of the file by default). */
            clip?: {
                end_seconds?: number | null;
                start_seconds?: number | null;
            } | string | null;
            externalResourceId?: string | number | null;
            externalUserId?: string | number | null;
            /** @description Metadata of the video. */
            metadata?: {
                [key: string]: string;
            } | string;
            /** @description Instead of all of `picture` in the template, for this video: how its picture is changed. */
            picture?: {
                /** @description What is cut off each side: a share such as "10%", or pixels of the picture as displayed. */
                crop?: {
                    /** @default 0 */
                    bottom?: string | number;
                    /** @default 0 */
                    left?: string | number;
                    /** @default 0 */
                    right?: string | number;
                    /** @default 0 */
                    top?: string | number;
                };
                /**
                 * @description Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.
                 * @default auto
                 * @enum {string}
                 */
                deinterlace?: "auto" | "off" | "double";
                /**
                 * @description horizontal: left and right are exchanged. vertical: top and bottom are exchanged.
                 * @enum {string}
                 */
                flip?: "horizontal" | "vertical";
                /**
                 * @description Degrees, clockwise.
                 * @default 0
                 * @enum {number}
                 */
                rotate?: 0 | 90 | 180 | 270;
            } | string | null;
            /** @description ULID of a video of the caller, of which the file becomes the source. It keeps its ULID, name, template, external IDs and uploaded captions, and plays as it is until the new outputs are complete. Fails with video.replace_failed where the file cannot be used, and leaves the video as it is. 409 while the video is being processed, and when its source is deleted. */
            replaces?: string;
            /** @description As size beside it, for clients that send no fields there, such as Uppy 6. */
            size?: number;
            /** @description Tags of the video. */
            tags?: string[] | string;
            /**
             * @description ULID of a template of the caller, or of a shared one. Required without replaces.
             * @example 01K9Z3P6M8N9P0Q1R2S3T4V5W6
             */
            template?: string;
            /** @description Instead of all of `tracks` in the template, for this video: which tracks of the file are used. */
            tracks?: {
                /**
                 * @description The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.
                 * @default auto
                 */
                audio?: "auto" | {
                    /** @enum {string} */
                    as: "stereo" | "mono" | "5.1";
                    from: number[];
                    language?: string;
                    name?: string;
                }[];
                /** @default auto */
                video?: number | "auto";
            } | string | null;
        };
        /** @description <token_id>|<secret>, shown once. */
        NewToken: {
            token: string;
        };
        Node: {
            cdn_mode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            host_key_fingerprint: string | null;
            /** @description For proxies. A new name takes effect after the steps configure, certificate and verify have run. Until then /sources uses the deployed name, and last_error says so. */
            hostname: string | null;
            id: number;
            ip_address: string;
            last_error: string | null;
            last_seen_at: string | null;
            name: string;
            ssh_key_id: number;
            status: components["schemas"]["NodeStatus"];
            type: components["schemas"]["NodeType"];
            ulid: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            updated_at: string;
            user: string;
            workers: number;
        };
        NodeCreate: {
            /**
             * @description True only on proxy nodes.
             * @default false
             */
            cdn_mode?: boolean;
            /**
             * Format: hostname
             * @description Required for proxy.
             */
            hostname?: string | null;
            /** @description IPv4 or IPv6 literal, no host names. Loopback, link-local, multicast and unspecified addresses are refused, and IPv6 addresses that embed an IPv4 address; private ranges are allowed. IPv6 addresses need a setting of the stage, which is off on AWS, where the service has no outgoing IPv6 connections. */
            ip_address: string | unknown | unknown;
            name: string;
            ssh_key_id: number;
            type: components["schemas"]["NodeType"];
            user: string;
            /**
             * @description 1..20 on a worker; exactly 1 on a proxy.
             * @default 1
             */
            workers?: number;
        } & unknown;
        /** @enum {string} */
        NodeStatus: "pending" | "deploying" | "active" | "draining" | "failed" | "deleting";
        /** @enum {string} */
        NodeType: "worker" | "proxy";
        /** @description Partial. Rules of creation are checked on the merged record. type cannot change (422 when it differs). Changing ip_address, user or ssh_key_id puts the node back to pending and clears host_key_fingerprint. */
        NodeUpdate: {
            /** @description True only on proxy nodes. */
            cdn_mode?: boolean;
            /**
             * Format: hostname
             * @description Required for proxy.
             */
            hostname?: string | null;
            /** @description IPv4 or IPv6 literal, no host names. Loopback, link-local, multicast and unspecified addresses are refused, and IPv6 addresses that embed an IPv4 address; private ranges are allowed. IPv6 addresses need a setting of the stage, which is off on AWS, where the service has no outgoing IPv6 connections. */
            ip_address?: string | unknown | unknown;
            name?: string;
            ssh_key_id?: number;
            type?: components["schemas"]["NodeType"];
            user?: string;
            /** @description 1..20 on a worker; exactly 1 on a proxy. */
            workers?: number;
        };
        OEmbed: {
            /** @description Seconds. */
            cache_age: number;
            height: number;
            html: string;
            provider_name: string;
            /** Format: uri */
            provider_url: string;
            title: string;
            /** @constant */
            type: "video";
            /** @constant */
            version: "1.0";
            width: number;
        };
        Original: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            expires_at: string;
            /** @description As it was uploaded. */
            filename: string;
            /** @description Bytes. */
            size: number;
            /** Format: uri */
            url: string;
        };
        Output: {
            completed_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            error_log: string | null;
            format: components["schemas"]["Format"];
            name: string | null;
            /** @description Since when the output plays, which may be while it is encoded; null while it does not. */
            playable_at: string | null;
            progress: number;
            size: number | null;
            status: components["schemas"]["OutputStatus"];
            streams: components["schemas"]["Stream"][];
            ulid: string;
        };
        /** @enum {string} */
        OutputStatus: "pending" | "running" | "completed" | "failed";
        /** @description ETag as the store gives it, double quotes included. */
        Part: {
            ETag: string;
            PartNumber: number;
            Size: number;
        };
        Preset: {
            description: string;
            name: string;
            query: components["schemas"]["StoredQuery"];
            slug: string;
        };
        QueuedUser: {
            /** @description There are more than were counted. */
            capped: boolean;
            jobs: number;
            kinds: {
                jobs: number;
                kind: components["schemas"]["JobKind"];
            }[];
            next_age_seconds: number;
            /**
             * Format: date-time
             * @description When the job that is next was queued.
             * @example 2026-11-20T10:00:00.000000Z
             */
            next_queued_at: string;
            /** @description Null for a deleted user. */
            user: {
                id: number;
                name: string;
                ulid: string;
            } | null;
        };
        QueueStats: {
            /** @description Queued jobs that this node can run. */
            pending: number;
            /** @description Jobs leased by this node. */
            reserved: number;
            /** @description pending + reserved. */
            total: number;
        };
        /** @description Limits of a month, UTC. A limit that is null does not exist. */
        Quota: {
            encoding_cpu_seconds_per_month: number | null;
            upload_bytes_per_month: number | null;
        };
        /** @description Replaces the whole quota. A limit that is null or left out does not exist. */
        QuotaInput: {
            /** @default null */
            encoding_cpu_seconds_per_month?: number | null;
            /** @default null */
            upload_bytes_per_month?: number | null;
        };
        /** @description Of the present month, UTC, over all external users. A quota limits the sum of used and reserved. */
        QuotaUse: {
            encoding_cpu_seconds: {
                /** @description Held for open uploads and for runs that have not finished. */
                reserved: number;
                used: number;
            };
            month: string;
            upload_bytes: {
                /** @description Held for open uploads and for runs that have not finished. */
                reserved: number;
                used: number;
            };
        };
        ServiceLimits: {
            max_form_upload_bytes: number;
            /** @description Longest lifetime of a signed URL. */
            max_link_seconds: number;
            /** @description Of one user. */
            max_open_uploads: number;
            max_template_audio_streams: number;
            max_template_fps: number;
            max_template_height: number;
            max_template_outputs: number;
            max_template_query_bytes: number;
            max_template_video_streams: number;
            max_template_width: number;
            max_upload_bytes: number;
            max_upload_parts: number;
            /** @description Of one user, except for uploads. */
            requests_per_minute: number;
        };
        Setting: {
            /** @description Of this stage. */
            default: string | number | boolean | null | string[];
            /** @example workers.maxTasks */
            name: string;
            value: string | number | boolean | null | string[];
        };
        SignedPart: {
            /** @description Seconds. */
            expires: number;
            headers: {
                [key: string]: string;
            };
            /** @constant */
            method: "PUT";
            /** Format: uri */
            url: string;
        };
        Source: {
            /** @description Null for a public video: its URLs do not expire. */
            expires_at: string | null;
            format: components["schemas"]["Format"];
            media_type: string;
            /** @description Of the output: two outputs may have one format. */
            name: string;
            /**
             * @description running: the output plays while it is encoded. Its playlist grows, and its URL does not change.
             * @enum {string}
             */
            status: "running" | "completed";
            /** Format: uri */
            url: string;
        };
        SourceCaptions: {
            /** @enum {string} */
            kind: "captions" | "subtitles" | "forced" | "chapters";
            label: string;
            /** @description BCP 47 tag. */
            language: string;
            /** Format: uri */
            url: string;
        };
        /**
         * @example {
         *       "sources": [
         *         {
         *           "format": "hls",
         *           "name": "hls",
         *           "url": "https://edge1.example.com/s/k1.1795341600.Vg5h0nXz0xJ2w3Yq.L3m0cXkq5vJ1r9TzWb8yNf2aHs7dUe4gQp6iKoMnRlE/videos/01KAH0Z5M2P4R6T8W0Y2A4C6E8/01KAH0Z6C8Y1T3V5X7Z9B2D4F7/1/master.m3u8",
         *           "status": "completed",
         *           "media_type": "application/vnd.apple.mpegurl",
         *           "expires_at": "2026-11-22T10:00:00.000000Z"
         *         },
         *         {
         *           "format": "mp4",
         *           "name": "audio",
         *           "url": "https://edge1.example.com/s/k1.1795341600.Vg5h0nXz0xJ2w3Yq.L3m0cXkq5vJ1r9TzWb8yNf2aHs7dUe4gQp6iKoMnRlE/videos/01KAH0Z5M2P4R6T8W0Y2A4C6E8/r1/package-01-00000-a1/audio.m4a?name=Holiday%202026.m4a",
         *           "status": "completed",
         *           "media_type": "audio/mp4",
         *           "expires_at": "2026-11-22T10:00:00.000000Z"
         *         }
         *       ],
         *       "poster_url": "https://edge1.example.com/s/k1.1795341600.Vg5h0nXz0xJ2w3Yq.L3m0cXkq5vJ1r9TzWb8yNf2aHs7dUe4gQp6iKoMnRlE/videos/01KAH0Z5M2P4R6T8W0Y2A4C6E8/thumbnails/poster.jpg",
         *       "storyboard_url": null,
         *       "preview_url": "https://edge1.example.com/s/k1.1795341600.Vg5h0nXz0xJ2w3Yq.L3m0cXkq5vJ1r9TzWb8yNf2aHs7dUe4gQp6iKoMnRlE/videos/01KAH0Z5M2P4R6T8W0Y2A4C6E8/thumbnails/preview.webp",
         *       "thumbnails": [
         *         {
         *           "at_seconds": 30,
         *           "url": "https://edge1.example.com/s/k1.1795341600.Vg5h0nXz0xJ2w3Yq.L3m0cXkq5vJ1r9TzWb8yNf2aHs7dUe4gQp6iKoMnRlE/videos/01KAH0Z5M2P4R6T8W0Y2A4C6E8/thumbnails/image-001.jpg"
         *         }
         *       ],
         *       "captions": []
         *     }
         */
        Sources: {
            captions: components["schemas"]["SourceCaptions"][];
            poster_url: string | null;
            /** @description A short animation without sound: an animated WebP image or an MP4 video. Null without one. */
            preview_url: string | null;
            sources: components["schemas"]["Source"][];
            /** @description A WebVTT file whose cues name parts of images beside it: sprite-001.jpg#xywh=0,0,160,90. */
            storyboard_url: string | null;
            /** @description The images of the template, by time. */
            thumbnails: components["schemas"]["Thumbnail"][];
        };
        /** @description private_key is never returned. */
        SshKey: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            fingerprint: string;
            id: number;
            name: string;
            nodes_count: number;
            public_key: string;
            ulid: string;
        };
        /** @description secret_access_key is never returned. */
        Storage: {
            access_key_id: string | null;
            bucket: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Null for AWS. */
            endpoint: string | null;
            /** @description What the trust policy of the role has to require as sts:ExternalId. Null without a role. */
            external_id: string | null;
            /** @enum {string} */
            kind: "s3";
            name: string;
            path_style: boolean;
            /** @description Empty, or ends with a slash. The service uses no keys outside of it. */
            prefix: string;
            region: string;
            role_arn: string | null;
            /** @description The AWS account that the trust policy of the role has to name. Null without a role. */
            trusted_account: string | null;
            ulid: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            updated_at: string;
            /** @description Templates that name it, and deliveries and ingests that have not ended. */
            used_by: {
                deliveries: number;
                ingests: number;
                templates: number;
            };
        };
        StorageDelivery: {
            also: ("poster" | "captions" | "original" | "metadata")[];
            bytes: number | null;
            bytes_copied: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Of a failed delivery: a code and a sentence. */
            error: string | null;
            /** @description Null until they are listed. */
            files: number | null;
            files_copied: number;
            finished_at: string | null;
            outputs: "*" | string[];
            /** @description Below the prefix of the storage, as it was asked for. */
            path: string;
            started_at: string | null;
            /**
             * @description pending: it waits for other deliveries of the user. completed: the storage has all files.
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /** @description ULID of the storage. */
            storage: string;
            ulid: string;
            video_ulid: string;
        };
        /** @description A TemplateQuery. */
        StoredQuery: {
            [key: string]: unknown;
        };
        Stream: {
            channels: number | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Why the track could not be encoded, or why no output could be packaged with it. */
            error_log: string | null;
            height: number | null;
            id: number;
            /** @description How the track is encoded, in the keys of InputParams. width, height, bitrates, fps, channels, sample_rate and language are those that it has for this source. */
            input_params: {
                [key: string]: unknown;
            };
            /** @description BCP 47 tag, und when unknown, null for video-only. */
            language: string | null;
            meta: components["schemas"]["StreamMeta"];
            name: string;
            /** @description Bytes; null until written. */
            size: number | null;
            /** @description Of an original: when the uploaded file was deleted. What needs the file then answers 409. */
            source_deleted_at: string | null;
            /**
             * @description An encoded track is completed when an output plays it, and failed when every output that needs it failed.
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            type: components["schemas"]["StreamType"];
            ulid: string;
            video_id: number;
            width: number | null;
        };
        /**
         * @description Facts about the finished file, none of them copied from the request. Of the original the document that ffprobe made of it, {} until it was probed. Of an encoded track {} until all of it is encoded.
         * @example {
         *       "codecs": "avc1.64001f",
         *       "profile": "High",
         *       "level": "3.1",
         *       "duration": 63.48,
         *       "bitrate": 2731904,
         *       "peak_bitrate": 3896120,
         *       "frame_rate": 29.97,
         *       "pixel_format": "yuv420p",
         *       "color_primaries": "bt709",
         *       "color_transfer": "bt709",
         *       "color_space": "bt709",
         *       "color_range": "tv"
         *     }
         */
        StreamMeta: {
            /** @description Of a muxed stream: its audio track. */
            audio?: {
                /** @description Bits a second on average, measured. */
                bitrate?: number;
                /** @description ffmpeg's name, such as stereo or 5.1. */
                channel_layout?: string;
                /** @description RFC 6381, as in the CODECS of manifests. */
                codecs?: string;
                color_primaries?: string;
                color_range?: string;
                color_space?: string;
                color_transfer?: string;
                /**
                 * @description The track is that of the source, packaged without encoding.
                 * @constant
                 */
                copied?: true;
                /** @description Seconds, up to 3 decimals. */
                duration?: number;
                /** @description Frames a second, up to 3 decimals. */
                frame_rate?: number;
                /** @description Of the video codec, such as 3.1. */
                level?: string;
                /** @description LUFS of EBU R128, measured. Only of a track that was normalised. */
                loudness?: number;
                /** @description Bits a second at most, as RFC 8216 measures a peak. */
                peak_bitrate?: number;
                /** @description ffmpeg's name, such as yuv420p. */
                pixel_format?: string;
                /** @description In ffprobe's words, such as High or Main 10. */
                profile?: string;
                /** @description Hertz. */
                sample_rate?: number;
            };
            /** @description Bits a second on average, measured. */
            bitrate?: number;
            /** @description ffmpeg's name, such as stereo or 5.1. */
            channel_layout?: string;
            /** @description RFC 6381, as in the CODECS of manifests. */
            codecs?: string;
            color_primaries?: string;
            color_range?: string;
            color_space?: string;
            color_transfer?: string;
            /**
             * @description The track is that of the source, packaged without encoding.
             * @constant
             */
            copied?: true;
            /** @description For the original: what was chosen, guessed, left out or changed, see docs/encoding.md. Empty when nothing had to be decided. */
            decisions?: components["schemas"]["Decision"][];
            /** @description Seconds, up to 3 decimals. */
            duration?: number;
            /** @description Of the original: ffprobe's facts about the file. */
            format?: {
                [key: string]: unknown;
            };
            /** @description Frames a second, up to 3 decimals. */
            frame_rate?: number;
            /** @description Of the video codec, such as 3.1. */
            level?: string;
            /** @description LUFS of EBU R128, measured. Only of a track that was normalised. */
            loudness?: number;
            /** @description Bits a second at most, as RFC 8216 measures a peak. */
            peak_bitrate?: number;
            /** @description ffmpeg's name, such as yuv420p. */
            pixel_format?: string;
            /** @description In ffprobe's words, such as High or Main 10. */
            profile?: string;
            /** @description Hertz. */
            sample_rate?: number;
            /** @description Of the original, if it is a 360° video: its projection, the parts of a frame for each eye, and the turn of the panorama in degrees. */
            spherical?: {
                pose?: {
                    pitch: number;
                    roll: number;
                    yaw: number;
                };
                /** @enum {string} */
                projection: "equirectangular" | "cubemap" | "other";
                /** @enum {string} */
                stereo: "mono" | "top-bottom" | "left-right";
            };
            /** @description Of the original: ffprobe's facts about its tracks. */
            streams?: {
                [key: string]: unknown;
            }[];
            /** @description Of a muxed stream: its video track. */
            video?: {
                /** @description Bits a second on average, measured. */
                bitrate?: number;
                /** @description ffmpeg's name, such as stereo or 5.1. */
                channel_layout?: string;
                /** @description RFC 6381, as in the CODECS of manifests. */
                codecs?: string;
                color_primaries?: string;
                color_range?: string;
                color_space?: string;
                color_transfer?: string;
                /**
                 * @description The track is that of the source, packaged without encoding.
                 * @constant
                 */
                copied?: true;
                /** @description Seconds, up to 3 decimals. */
                duration?: number;
                /** @description Frames a second, up to 3 decimals. */
                frame_rate?: number;
                /** @description Of the video codec, such as 3.1. */
                level?: string;
                /** @description LUFS of EBU R128, measured. Only of a track that was normalised. */
                loudness?: number;
                /** @description Bits a second at most, as RFC 8216 measures a peak. */
                peak_bitrate?: number;
                /** @description ffmpeg's name, such as yuv420p. */
                pixel_format?: string;
                /** @description In ffprobe's words, such as High or Main 10. */
                profile?: string;
                /** @description Hertz. */
                sample_rate?: number;
            };
            /** @description For the original: notes on the result, one sentence each. */
            warnings?: string[];
        } & {
            [key: string]: unknown;
        };
        /** @enum {string} */
        StreamType: "original" | "video" | "audio" | "muxed";
        Tag: {
            tag: string;
            videos: number;
        };
        Template: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            id: number;
            name: string;
            query: components["schemas"]["StoredQuery"];
            /** @description Every user may read and use it; only administrators change it. */
            shared: boolean;
            ulid: string;
        };
        /** @description What to make of a source: streams or a ladder, and the outputs that use them. */
        TemplateQuery: {
            /** @default [] */
            audio?: {
                /** @default 128k */
                bitrate?: string;
                /**
                 * @default 2
                 * @enum {number}
                 */
                channels?: 1 | 2 | 6 | 8;
                /** @enum {string} */
                codec: "aac" | "opus";
                /** @default default */
                languages?: ("default" | "all") | string[];
                /** @default null */
                loudness?: number | null;
                name: string;
                /**
                 * @default 48000
                 * @enum {number}
                 */
                sample_rate?: 44100 | 48000;
            }[];
            captions?: {
                /**
                 * @description The text tracks of the source that become captions.
                 * @default all
                 */
                embedded?: ("all" | "none") | string[];
                /**
                 * @description Captions from the speech of a completed video, one for each language of its audio tracks; of a track without one, the language is detected. missing: of languages without captions or subtitles. always: also in place of captions that are not uploaded.
                 * @default off
                 * @enum {string}
                 */
                generate?: "off" | "missing" | "always";
                /** @description Spoken languages of which captions are made; `de` also means de-AT. Default: all. */
                generate_languages?: string[];
            };
            /** @default 30 */
            chunk_duration?: number;
            /**
             * @description With auto, video of the source that already is what a stream asks for is packaged without encoding. Default off.
             * @enum {string}
             */
            copy?: "off" | "auto";
            /** @description Storages of the owner to which the files of a completed video are copied. */
            deliver?: {
                /**
                 * @description poster: with the other thumbnails. captions: WebVTT files. original: the uploaded file. metadata: the video as the API shows it.
                 * @default []
                 */
                also?: ("poster" | "captions" | "original" | "metadata")[];
                /** @default * */
                outputs?: "*" | string[];
                /**
                 * @description Below the prefix of the storage. With {output}, each output has a complete copy of its files; without it, outputs share files, and the manifests of each are in a folder of its name.
                 * @default {ulid}/{output}/
                 */
                path?: string;
                storage: string;
            }[];
            ladder?: {
                /** @enum {string} */
                codec: "h264" | "hevc" | "av1" | "vp9";
                fps?: number;
                /** @default 2 */
                gop?: number;
                max_bitrate?: string;
                /**
                 * @default 1080
                 * @enum {number}
                 */
                max_height?: 240 | 360 | 480 | 540 | 720 | 1080 | 1440 | 2160;
                /** @default 5 */
                max_renditions?: number;
                /**
                 * @default 240
                 * @enum {number}
                 */
                min_height?: 144 | 240 | 360 | 480 | 540 | 720;
                /**
                 * @description bitrate: each rung has the bitrate of the table. quality: each rung has a constant quality with that bitrate as its maximum, and rungs that bring no gain for the source are left out. Default bitrate.
                 * @enum {string}
                 */
                mode?: "bitrate" | "quality";
                /**
                 * @default medium
                 * @enum {string}
                 */
                preset?: "ultrafast" | "superfast" | "veryfast" | "faster" | "fast" | "medium" | "slow" | "slower";
                /** @enum {string} */
                profile?: "baseline" | "main" | "high" | "main10" | "profile0" | "profile2";
            };
            outputs: {
                /** @default * */
                audio?: "*" | string[];
                /** @enum {string} */
                container?: "ts" | "fmp4";
                /** @description For mp4. Default true. */
                faststart?: boolean;
                /** @enum {string} */
                format: "hls" | "dash" | "mp4";
                name?: string;
                /** @description For hls and dash. Default 6. */
                segment_duration?: number;
                /** @default * */
                video?: "*" | string[];
            }[];
            /** @description Changes of the picture as displayed: it is cropped, then rotated, then flipped. */
            picture?: {
                /** @description What is cut off each side: a share such as "10%", or pixels of the picture as displayed. */
                crop?: {
                    /** @default 0 */
                    bottom?: string | number;
                    /** @default 0 */
                    left?: string | number;
                    /** @default 0 */
                    right?: string | number;
                    /** @default 0 */
                    top?: string | number;
                };
                /**
                 * @description Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.
                 * @default auto
                 * @enum {string}
                 */
                deinterlace?: "auto" | "off" | "double";
                /**
                 * @description horizontal: left and right are exchanged. vertical: top and bottom are exchanged.
                 * @enum {string}
                 */
                flip?: "horizontal" | "vertical";
                /**
                 * @description Degrees, clockwise.
                 * @default 0
                 * @enum {number}
                 */
                rotate?: 0 | 90 | 180 | 270;
            };
            retention?: {
                /**
                 * @description When the uploaded file is deleted after the video is completed. Without it, streams cannot be added, and the video cannot be processed again.
                 * @default keep
                 */
                source?: ("keep" | "delete") | {
                    days: number;
                };
                /** @description Days after the first completion at which the video expires, unless its owner has given it an expiry before. */
                video_days?: number;
            };
            scaling?: {
                /** @description The colour behind transparent pictures and of the bars of `fit: pad`. Default #000000. */
                background?: string;
                /**
                 * @default contain
                 * @enum {string}
                 */
                fit?: "contain" | "pad" | "crop";
                /**
                 * @default false
                 * @constant
                 */
                upscale?: false;
            };
            thumbnails?: {
                /** @description Single images: `count` of them, evenly spread, or one every `interval` seconds, at most 100. */
                images?: {
                    count?: number;
                    /**
                     * @default jpg
                     * @enum {string}
                     */
                    format?: "jpg" | "webp";
                    interval?: number;
                    /** @default 640 */
                    width?: number;
                };
                poster?: {
                    /** @default 10% */
                    at?: string;
                    /**
                     * @default jpg
                     * @enum {string}
                     */
                    format?: "jpg" | "webp";
                    /** @default 1280 */
                    width?: number;
                };
                /** @description A short animation without sound, of parts of a second from several times of the video. */
                preview?: {
                    /**
                     * @default webp
                     * @enum {string}
                     */
                    format?: "webp" | "mp4";
                    /** @default 6 */
                    seconds?: number;
                    /** @default 320 */
                    width?: number;
                };
                sprite?: {
                    /** @default 10 */
                    columns?: number;
                    /**
                     * @default jpg
                     * @enum {string}
                     */
                    format?: "jpg" | "webp";
                    /** @default 10 */
                    interval?: number;
                    /** @default 10 */
                    rows?: number;
                    /** @default 160 */
                    width?: number;
                };
            };
            /** @description Which tracks of the file are used, by their numbers in the file, which start with 0. auto: the video track that viewers are meant to see, and all audio tracks. */
            tracks?: {
                /**
                 * @description The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.
                 * @default auto
                 */
                audio?: "auto" | {
                    /** @enum {string} */
                    as: "stereo" | "mono" | "5.1";
                    from: number[];
                    language?: string;
                    name?: string;
                }[];
                /** @default auto */
                video?: number | "auto";
            };
            /**
             * @default 1
             * @constant
             */
            version?: 1;
            /** @default [] */
            video?: {
                bitrate?: string;
                buffer_size?: string;
                /** @enum {string} */
                codec: "h264" | "hevc" | "av1" | "vp9";
                crf?: number;
                fps?: number;
                /** @default 2 */
                gop?: number;
                height?: number;
                level?: string;
                max_bitrate?: string;
                name: string;
                /**
                 * @default yuv420p
                 * @enum {string}
                 */
                pixel_format?: "yuv420p" | "yuv420p10le";
                /**
                 * @default medium
                 * @enum {string}
                 */
                preset?: "ultrafast" | "superfast" | "veryfast" | "faster" | "fast" | "medium" | "slow" | "slower";
                /** @enum {string} */
                profile?: "baseline" | "main" | "high" | "main10" | "profile0" | "profile2";
                /** @default false */
                two_pass?: boolean;
                width?: number;
            }[];
            /** @description An image over the picture of every rendition, between two times or always, and over poster, sprites, images and preview. Video is encoded then, also where `copy` is `auto`. */
            watermark?: {
                from_seconds?: number;
                image: string;
                /**
                 * @description To the sides of the picture, as a share of its width.
                 * @default 2%
                 */
                margin?: string;
                /** @default 1 */
                opacity?: number;
                /**
                 * @default bottom-right
                 * @enum {string}
                 */
                position?: "top-left" | "top" | "top-right" | "left" | "center" | "right" | "bottom-left" | "bottom" | "bottom-right";
                to_seconds?: number;
                /**
                 * @description Of the width of the picture. The image keeps its shape.
                 * @default 10%
                 */
                width?: string;
            };
        };
        TemplatesConfig: {
            codecs: {
                readonly audio: {
                    [key: string]: unknown;
                }[];
                readonly video: {
                    [key: string]: unknown;
                }[];
            };
            defaults: {
                [key: string]: unknown;
            };
            readonly encoder_presets: string[];
            readonly formats: {
                [key: string]: unknown;
            }[];
            limits: {
                [key: string]: unknown;
            };
            profiles: {
                [key: string]: string[];
            };
            readonly resolutions: {
                [key: string]: unknown;
            }[];
        };
        Thumbnail: {
            at_seconds: number;
            /** Format: uri */
            url: string;
        };
        /** @description Never holds the secret or its hash. */
        Token: {
            /** @description What the token may do. Each operation names what it needs. */
            abilities: components["schemas"]["TokenAbility"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description null: never. An expired token stays in the list for 30 days. */
            expires_at: string | null;
            id: number;
            /** @description The hour in which it was used last. */
            last_used_at: string | null;
            name: string;
        };
        /**
         * @description * is everything. admin is for administrators, whose tokens without it act as those of other users.
         * @enum {string}
         */
        TokenAbility: "*" | "videos:read" | "videos:write" | "uploads:write" | "playback:read" | "templates:write" | "webhooks:write" | "usage:read" | "admin";
        Upload: {
            /** @description Of complete parts; 0 for a form until it is complete. */
            bytes_received: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            expires_at: string;
            filename: string;
            /** @enum {string} */
            kind: "multipart" | "form" | "ingest";
            /** @description The video whose source the file is to replace; then the ULID is of the upload alone. */
            replaces: string | null;
            /** @description As declared by the client; null when not declared. */
            size: number | null;
            /** @description Of the upload, and of the video that is made of it. */
            ulid: string;
            /** @description Of a multipart upload, for its paths in /api/objstore. */
            upload_id: string | null;
        };
        /** @description Other fields, such as those that Uppy adds, are dropped. */
        UploadMetadata: {
            /** @description The part of the file that becomes the video, in seconds from the start of its presentation. It begins with the frame that is shown at start_seconds (0 by default) and ends before end_seconds (the end of the file by default). */
            clip?: {
                end_seconds?: number | null;
                start_seconds?: number | null;
            } | string | null;
            externalResourceId?: string | number | null;
            externalUserId?: string | number | null;
            /** @description Metadata of the video. */
            metadata?: {
                [key: string]: string;
            } | string;
            /** @description Instead of all of `picture` in the template, for this video: how its picture is changed. */
            picture?: {
                /** @description What is cut off each side: a share such as "10%", or pixels of the picture as displayed. */
                crop?: {
                    /** @default 0 */
                    bottom?: string | number;
                    /** @default 0 */
                    left?: string | number;
                    /** @default 0 */
                    right?: string | number;
                    /** @default 0 */
                    top?: string | number;
                };
                /**
                 * @description Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.
                 * @default auto
                 * @enum {string}
                 */
                deinterlace?: "auto" | "off" | "double";
                /**
                 * @description horizontal: left and right are exchanged. vertical: top and bottom are exchanged.
                 * @enum {string}
                 */
                flip?: "horizontal" | "vertical";
                /**
                 * @description Degrees, clockwise.
                 * @default 0
                 * @enum {number}
                 */
                rotate?: 0 | 90 | 180 | 270;
            } | string | null;
            /** @description ULID of a video of the caller, of which the file becomes the source. It keeps its ULID, name, template, external IDs and uploaded captions, and plays as it is until the new outputs are complete. Fails with video.replace_failed where the file cannot be used, and leaves the video as it is. 409 while the video is being processed, and when its source is deleted. */
            replaces?: string;
            /** @description Tags of the video. */
            tags?: string[] | string;
            /**
             * @description ULID of a template of the caller, or of a shared one. Required without replaces.
             * @example 01K9Z3P6M8N9P0Q1R2S3T4V5W6
             */
            template?: string;
            /** @description Instead of all of `tracks` in the template, for this video: which tracks of the file are used. */
            tracks?: {
                /**
                 * @description The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.
                 * @default auto
                 */
                audio?: "auto" | {
                    /** @enum {string} */
                    as: "stereo" | "mono" | "5.1";
                    from: number[];
                    language?: string;
                    name?: string;
                }[];
                /** @default auto */
                video?: number | "auto";
            } | string | null;
        };
        UploadParams: {
            /** @description Seconds. */
            expires: number;
            fields: {
                [key: string]: string;
            };
            /** @constant */
            method: "POST";
            /** Format: uri */
            url: string;
        };
        UsageRecord: {
            /** Format: date */
            date: string;
            external_user_id: string | null;
            /** @enum {string} */
            metric: "upload_bytes" | "encoding_cpu" | "stored_bytes" | "delivered_bytes" | "views" | "watched_seconds";
            value: number;
        };
        /** @description User-shaped bodies are never wrapped in data except inside the user list. No password field ever appears. */
        User: {
            /** Format: email */
            email: string;
            id: number;
            is_admin: boolean;
            name: string;
            ulid: string;
        };
        UserWithCreatedAt: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** Format: email */
            email: string;
            id: number;
            is_admin: boolean;
            name: string;
            /** @description null means no limit. */
            quota: components["schemas"]["Quota"] | null;
            ulid: string;
        };
        /** @description Field name, dotted where nested, to list of messages. */
        ValidationError: {
            code: components["schemas"]["ErrorCode"];
            /** @description The codes of the messages in errors, in their order. With invalid, only the message says more. */
            codes: {
                [key: string]: {
                    code: components["schemas"]["FieldErrorCode"];
                    /** @description The bound that the value exceeds. */
                    limit?: number;
                }[];
            };
            errors: {
                [key: string]: string[];
            };
            message: string;
            /** @description As in the header X-Request-Id of every response, and in the log. */
            request_id: string;
        };
        Video: {
            aspect_ratio: string | null;
            clip: components["schemas"]["Clip"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Seconds, up to 3 decimals; null before the probe. */
            duration: number | null;
            /** @description When the video is deleted; null if it is kept. */
            expires_at: string | null;
            externalResourceId: string | null;
            externalUserId: string | null;
            id: number;
            metadata: components["schemas"]["Metadata"];
            name: string;
            outputs: components["schemas"]["Output"][];
            /** @description What the upload asks for instead of `picture` in the template; null for the template. */
            picture: {
                /** @description What is cut off each side: a share such as "10%", or pixels of the picture as displayed. */
                crop?: {
                    /** @default 0 */
                    bottom: string | number;
                    /** @default 0 */
                    left: string | number;
                    /** @default 0 */
                    right: string | number;
                    /** @default 0 */
                    top: string | number;
                };
                /**
                 * @description Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.
                 * @default auto
                 * @enum {string}
                 */
                deinterlace: "auto" | "off" | "double";
                /**
                 * @description horizontal: left and right are exchanged. vertical: top and bottom are exchanged.
                 * @enum {string}
                 */
                flip?: "horizontal" | "vertical";
                /**
                 * @description Degrees, clockwise.
                 * @default 0
                 * @enum {number}
                 */
                rotate: 0 | 90 | 180 | 270;
            } | null;
            /** @description Since when an output plays; null while none does. */
            playable_at: string | null;
            /**
             * @description public: the URLs of the video need no signature and do not expire. Default signed.
             * @enum {string}
             */
            playback: "signed" | "public";
            /** @description Why the last file that was to replace the source was not used: a code and a sentence. Null from the next one on. */
            replace_error: string | null;
            /** @description The video of whose source it is a clip; it may be deleted. */
            source_video: string | null;
            status: components["schemas"]["VideoStatus"];
            streams: components["schemas"]["Stream"][];
            tags: string[];
            /** @description Null when the template was deleted before the upload was stored. */
            template: components["schemas"]["Template"] | null;
            template_id: number;
            /** @description Object key, not a URL. */
            thumbnail_path: string | null;
            /** @description What the upload asks for instead of `tracks` in the template; null for the template. */
            tracks: {
                /**
                 * @description The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.
                 * @default auto
                 */
                audio: "auto" | {
                    /** @enum {string} */
                    as: "stereo" | "mono" | "5.1";
                    from: number[];
                    language?: string;
                    name?: string;
                }[];
                /** @default auto */
                video: number | "auto";
            } | null;
            ulid: string;
        };
        VideoAnalytics: {
            data: {
                audience: {
                    duration_seconds: number | null;
                    /** @description For the middle of each hundredth of the video: how many playbacks have loaded it. */
                    reached: number[];
                };
                delivered: {
                    series: {
                        bytes: number;
                        /** Format: date */
                        date: string;
                    }[];
                    total_bytes: number;
                };
                /** Format: date */
                from: string;
                playback: {
                    bitrate_kbps: components["schemas"]["Distribution"];
                    errors: components["schemas"]["Distribution"];
                    rebuffering_share: components["schemas"]["Distribution"];
                    startup_ms: components["schemas"]["Distribution"];
                };
                /** Format: date */
                to: string;
                views: {
                    series: {
                        count: number;
                        /** Format: date */
                        date: string;
                    }[];
                    total: number;
                };
                watched: {
                    series: {
                        /** Format: date */
                        date: string;
                        seconds: number;
                    }[];
                    total_seconds: number;
                };
            };
        };
        VideoListItem: {
            aspect_ratio: string | null;
            clip: components["schemas"]["Clip"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /** @description Seconds, up to 3 decimals; null before the probe. */
            duration: number | null;
            /** @description When the video is deleted; null if it is kept. */
            expires_at: string | null;
            externalResourceId: string | null;
            externalUserId: string | null;
            id: number;
            metadata: components["schemas"]["Metadata"];
            name: string;
            /** @description What the upload asks for instead of `picture` in the template; null for the template. */
            picture: {
                /** @description What is cut off each side: a share such as "10%", or pixels of the picture as displayed. */
                crop?: {
                    /** @default 0 */
                    bottom: string | number;
                    /** @default 0 */
                    left: string | number;
                    /** @default 0 */
                    right: string | number;
                    /** @default 0 */
                    top: string | number;
                };
                /**
                 * @description Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.
                 * @default auto
                 * @enum {string}
                 */
                deinterlace: "auto" | "off" | "double";
                /**
                 * @description horizontal: left and right are exchanged. vertical: top and bottom are exchanged.
                 * @enum {string}
                 */
                flip?: "horizontal" | "vertical";
                /**
                 * @description Degrees, clockwise.
                 * @default 0
                 * @enum {number}
                 */
                rotate: 0 | 90 | 180 | 270;
            } | null;
            /** @description Since when an output plays; null while none does. */
            playable_at: string | null;
            /**
             * @description public: the URLs of the video need no signature and do not expire. Default signed.
             * @enum {string}
             */
            playback: "signed" | "public";
            /** @description The same for an hour, for which clients can cache it; valid for at least six. Null without a poster, or while nothing delivers it. */
            poster_url: string | null;
            /** @description A short animation without sound, in WebP or MP4, with a URL like that of the poster. */
            preview_url: string | null;
            /** @description Why the last file that was to replace the source was not used: a code and a sentence. Null from the next one on. */
            replace_error: string | null;
            /** @description The video of whose source it is a clip; it may be deleted. */
            source_video: string | null;
            status: components["schemas"]["VideoStatus"];
            streams: components["schemas"]["Stream"][];
            tags: string[];
            template_id: number;
            /** @description Object key, not a URL. */
            thumbnail_path: string | null;
            /** @description What the upload asks for instead of `tracks` in the template; null for the template. */
            tracks: {
                /**
                 * @description The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.
                 * @default auto
                 */
                audio: "auto" | {
                    /** @enum {string} */
                    as: "stereo" | "mono" | "5.1";
                    from: number[];
                    language?: string;
                    name?: string;
                }[];
                /** @default auto */
                video: number | "auto";
            } | null;
            ulid: string;
        };
        /** @enum {string} */
        VideoStatus: "pending" | "downloading" | "running" | "uploading" | "completed" | "failed";
        WatchedVideo: {
            delivered_bytes: number;
            /** @description Null: the video is deleted. */
            name: string | null;
            ulid: string;
            views: number;
            watched_seconds: number;
        };
        Webhook: {
            active: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            disabled_at: string | null;
            /** @description Why the service has switched the webhook off: 410 Gone, or five days of failures. */
            disabled_reason: string | null;
            events: string[];
            /** @description Null: events of all external users. */
            external_user_id: string | null;
            name: string;
            ulid: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            updated_at: string;
            url: string;
        };
        WebhookDelivery: {
            /** @description The last 20. */
            attempts: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, microsecond precision, Z suffix.
                 * @example 2026-11-20T10:00:00.000000Z
                 */
                at: string;
                /** @description The first 1 KiB of the answer. */
                body: string | null;
                error: string | null;
                /** @description Null when the endpoint did not answer. */
                http_status: number | null;
                milliseconds: number;
            }[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, microsecond precision, Z suffix.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            event: string;
            next_attempt_at: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed" | "exhausted";
            /** @description The ULID of the event, which is sent as webhook-id. */
            ulid: string;
        };
        Worker: {
            /** @description What it works on; null while it has no job. */
            job: {
                attempt: number;
                group: number;
                index: number;
                kind: components["schemas"]["JobKind"];
                plan: number;
                progress: number;
                started_at: string | null;
                video: string;
            } | null;
            /**
             * Format: date-time
             * @description Up to a minute earlier than the last call.
             * @example 2026-11-20T10:00:00.000000Z
             */
            last_call_at: string;
            /** @description The registered node; null for a worker of the pool. */
            node: {
                id: number;
                name: string;
                ulid: string;
            } | null;
            /**
             * @description pool: a Fargate task, or a worker process of the service on one machine. node: a worker of a registered node.
             * @enum {string}
             */
            node_type: "pool" | "node";
            /** @description Name of the worker. */
            worker: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    activityLog: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Activity"][];
                        meta: {
                            current_page: number;
                            last_page: number;
                            per_page: number;
                            total: number;
                        };
                    };
                };
            };
        };
    };
    analytics: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analytics"];
                };
            };
        };
    };
    mostWatchedVideos: {
        parameters: {
            query?: {
                from?: string;
                limit?: number;
                order?: "views" | "watched" | "bytes";
                to?: string;
                /** @description Administrators only: the videos of this user instead. */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WatchedVideo"][];
                        meta: {
                            /** Format: date */
                            from: string;
                            /** @enum {string} */
                            order: "views" | "watched" | "bytes";
                            /** Format: date */
                            to: string;
                        };
                    };
                };
            };
        };
    };
    createDirectUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "template": "01K9Z3P6M8N9P0Q1R2S3T4V5W6",
                 *       "max_bytes": 2000000000,
                 *       "allowed_origin": "https://www.example.com",
                 *       "externalUserId": "crm-1001",
                 *       "expires_in": 3600
                 *     }
                 */
                "application/json": components["schemas"]["CreateDirectUpload"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC, microsecond precision, Z suffix.
                             * @example 2026-11-20T10:00:00.000000Z
                             */
                            expires_at: string;
                            /** @description Of the upload that the token can make, and of its video. */
                            ulid: string;
                            /** @description Shown once. */
                            upload_token: string;
                        };
                    };
                };
            };
        };
    };
    estimate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": {
                 *         "version": 1,
                 *         "ladder": {
                 *           "codec": "h264",
                 *           "mode": "quality",
                 *           "max_height": 1080,
                 *           "min_height": 240,
                 *           "max_renditions": 5
                 *         },
                 *         "audio": [
                 *           {
                 *             "name": "stereo",
                 *             "codec": "aac",
                 *             "bitrate": "128k",
                 *             "channels": 2,
                 *             "languages": "all"
                 *           }
                 *         ],
                 *         "outputs": [
                 *           {
                 *             "name": "hls",
                 *             "format": "hls",
                 *             "segment_duration": 6
                 *           }
                 *         ],
                 *         "thumbnails": {
                 *           "poster": {
                 *             "at": "10%"
                 *           },
                 *           "sprite": {
                 *             "interval": 10
                 *           }
                 *         }
                 *       },
                 *       "source": {
                 *         "width": 1920,
                 *         "height": 1080,
                 *         "fps": 30,
                 *         "duration_seconds": 600
                 *       }
                 *     }
                 */
                "application/json": {
                    query: components["schemas"]["TemplateQuery"];
                    source: components["schemas"]["EstimateSource"];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Estimate"];
                    };
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                after?: string;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        meta: {
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                        };
                    };
                };
            };
        };
    };
    listImages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Image"][];
                    };
                };
            };
        };
    };
    createImage: {
        parameters: {
            query?: {
                /** @description Default Image. */
                name?: string;
            };
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Image"];
                    };
                };
            };
        };
    };
    deleteImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listIngests: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Ingest"][];
                        meta: {
                            current_page: number;
                            last_page: number;
                            per_page: number;
                            total: number;
                        };
                    };
                };
            };
        };
    };
    createIngest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://media.example.com/films/holiday.mov",
                 *       "metadata": {
                 *         "template": "01K9Z3P6M8N9P0Q1R2S3T4V5W6",
                 *         "externalUserId": "crm-1001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateIngest"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Ingest"];
                    };
                };
            };
        };
    };
    getIngest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Ingest"];
                    };
                };
            };
        };
    };
    deleteIngest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listIngestBatches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["IngestBatch"][];
                    };
                };
            };
        };
    };
    createIngestBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "storage": "01K9Z3P6M8N9P0Q1R2S3T4V5W7",
                 *       "prefix": "videos/2026/",
                 *       "metadata": {
                 *         "template": "01K9Z3P6M8N9P0Q1R2S3T4V5W6"
                 *       },
                 *       "limit": 100
                 *     }
                 */
                "application/json": components["schemas"]["CreateIngestBatch"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["IngestBatch"];
                    };
                };
            };
        };
    };
    getIngestBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["IngestBatch"];
                    };
                };
            };
        };
    };
    cancelIngestBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    listNodes: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Node"][];
                        /** @description Of a page; also of a whole list that has more than 1,000 rows. */
                        meta?: {
                            current_page: number;
                            last_page: number;
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                            total: number;
                        } | {
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                        };
                    };
                };
            };
        };
    };
    createNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "edge-fra-1",
                 *       "ip_address": "203.0.113.10",
                 *       "user": "deploy",
                 *       "type": "proxy",
                 *       "ssh_key_id": 2,
                 *       "hostname": "edge1.example.com",
                 *       "cdn_mode": false,
                 *       "workers": 1
                 *     }
                 */
                "application/json": components["schemas"]["NodeCreate"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Node"];
                    };
                };
            };
        };
    };
    getNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Node"];
                    };
                };
            };
        };
    };
    updateNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "edge-fra-1b",
                 *       "cdn_mode": true
                 *     }
                 */
                "application/json": components["schemas"]["NodeUpdate"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Node"];
                    };
                };
            };
        };
    };
    deleteNode: {
        parameters: {
            query?: {
                force?: boolean;
            };
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Node"];
                    };
                };
            };
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    nodeContainers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Container"][];
                    };
                };
            };
        };
    };
    deploy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "step": "check"
                 *     }
                 */
                "application/json": {
                    step: string;
                };
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeployStep"];
                    };
                };
            };
        };
    };
    deploySteps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeployStep"][];
                    };
                };
            };
        };
    };
    nodePendingJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueStats"];
                };
            };
        };
    };
    createMultipart: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filename": "holiday.mp4",
                 *       "type": "video/mp4",
                 *       "metadata": {
                 *         "name": "holiday.mp4",
                 *         "type": "video/mp4",
                 *         "template": "01K9Z3P6M8N9P0Q1R2S3T4V5W6",
                 *         "externalUserId": "crm-1001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateMultipart"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MultipartCreated"];
                };
            };
        };
    };
    listParts: {
        parameters: {
            query?: {
                /** @description Sent by all versions of Uppy. A key that does not belong to the upload answers 404. */
                key?: string;
            };
            header?: never;
            path: {
                /** @description uploadId */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Part"][];
                };
            };
        };
    };
    abortMultipart: {
        parameters: {
            query?: {
                /** @description Sent by all versions of Uppy. A key that does not belong to the upload answers 404. */
                key?: string;
            };
            header?: never;
            path: {
                /** @description uploadId */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    signPart: {
        parameters: {
            query?: {
                /** @description Sent by all versions of Uppy. A key that does not belong to the upload answers 404. */
                key?: string;
                size?: number;
            };
            header?: never;
            path: {
                partNumber: number;
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedPart"];
                };
            };
        };
    };
    completeMultipart: {
        parameters: {
            query?: {
                /** @description Sent by all versions of Uppy. A key that does not belong to the upload answers 404. */
                key?: string;
            };
            header?: never;
            path: {
                /** @description uploadId */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parts": [
                 *         {
                 *           "PartNumber": 1,
                 *           "ETag": "\"6ef9d5a578820bcd1eab7e444bc61a34\""
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CompleteMultipart"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completed"];
                };
            };
        };
    };
    uploadParams: {
        parameters: {
            query: {
                filename: string;
                "metadata[clip]"?: {
                    end_seconds?: number | null;
                    start_seconds?: number | null;
                } | string | null;
                "metadata[externalResourceId]"?: string | number | null;
                "metadata[externalUserId]"?: string | number | null;
                "metadata[metadata]"?: {
                    [key: string]: string;
                } | string;
                "metadata[picture]"?: {
                    /** @description What is cut off each side: a share such as "10%", or pixels of the picture as displayed. */
                    crop?: {
                        /** @default 0 */
                        bottom?: string | number;
                        /** @default 0 */
                        left?: string | number;
                        /** @default 0 */
                        right?: string | number;
                        /** @default 0 */
                        top?: string | number;
                    };
                    /**
                     * @description Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.
                     * @default auto
                     * @enum {string}
                     */
                    deinterlace?: "auto" | "off" | "double";
                    /**
                     * @description horizontal: left and right are exchanged. vertical: top and bottom are exchanged.
                     * @enum {string}
                     */
                    flip?: "horizontal" | "vertical";
                    /**
                     * @description Degrees, clockwise.
                     * @default 0
                     * @enum {number}
                     */
                    rotate?: 0 | 90 | 180 | 270;
                } | string | null;
                "metadata[replaces]"?: string;
                "metadata[tags]"?: string[] | string;
                "metadata[template]"?: string;
                "metadata[tracks]"?: {
                    /**
                     * @description The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.
                     * @default auto
                     */
                    audio?: "auto" | {
                        /** @enum {string} */
                        as: "stereo" | "mono" | "5.1";
                        from: number[];
                        language?: string;
                        name?: string;
                    }[];
                    /** @default auto */
                    video?: number | "auto";
                } | string | null;
                size?: number;
                type?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadParams"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deleteOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada E.",
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    updatePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "correct horse",
                 *       "password": "battery staple",
                 *       "password_confirmation": "battery staple"
                 *     }
                 */
                "application/json": {
                    /** Format: password */
                    current_password: string;
                    /** Format: password */
                    password: string;
                    /** Format: password */
                    password_confirmation: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                    };
                };
            };
        };
    };
    readQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description There are more than were counted. */
                            capped: boolean;
                            jobs: number;
                            kinds: {
                                jobs: number;
                                kind: components["schemas"]["JobKind"];
                            }[];
                            /** @description Null when no job is queued. */
                            oldest_age_seconds: number | null;
                            users: components["schemas"]["QueuedUser"][];
                        };
                    };
                };
            };
        };
    };
    confirmSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse"
                 *     }
                 */
                "application/json": {
                    /** Format: password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            limits: components["schemas"]["ServiceLimits"];
                            settings: components["schemas"]["Setting"][];
                            stage: string;
                        };
                    };
                };
            };
        };
    };
    listSshKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SshKey"][];
                    };
                };
            };
        };
    };
    createSshKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "fleet",
                 *       "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleEx fleet",
                 *       "private_key": "<PRIVATE_KEY>"
                 *     }
                 */
                "application/json": {
                    name: string;
                    private_key: string;
                    public_key: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SshKey"];
                    };
                };
            };
        };
    };
    getSshKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SshKey"];
                    };
                };
            };
        };
    };
    deleteSshKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listStorages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Storage"][];
                    };
                };
            };
        };
    };
    createStorage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Archive",
                 *       "endpoint": "https://s3.example.com",
                 *       "region": "eu-central-1",
                 *       "bucket": "media-archive",
                 *       "prefix": "videos/",
                 *       "access_key_id": "EXAMPLEKEYID",
                 *       "secret_access_key": "<SECRET_ACCESS_KEY>"
                 *     }
                 */
                "application/json": {
                    access_key_id?: string | null;
                    bucket: string;
                    /** @description https address of the store, without a path. Without it, AWS in the region. */
                    endpoint?: string | null;
                    /** @enum {string} */
                    kind?: "s3";
                    name: string;
                    /** @description The bucket is in the path of URLs instead of the host. Default true with an endpoint, else false. */
                    path_style?: boolean;
                    /** @description Only keys below it are used. */
                    prefix?: string | null;
                    /** @description As the store names it; `auto` for R2 and Google Cloud Storage. */
                    region: string;
                    /** @description Instead of an access key, on AWS: a role of another account, which the service assumes. */
                    role_arn?: string | null;
                    secret_access_key?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Storage"];
                    };
                };
            };
        };
    };
    getStorage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Storage"];
                    };
                };
            };
        };
    };
    updateStorage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Archive 2026",
                 *       "prefix": "videos/2026/"
                 *     }
                 */
                "application/json": {
                    access_key_id?: string | null;
                    bucket?: string;
                    /** @description https address of the store, without a path. Without it, AWS in the region. */
                    endpoint?: string | null;
                    /** @enum {string} */
                    kind?: "s3";
                    name?: string;
                    /** @description The bucket is in the path of URLs instead of the host. Default true with an endpoint, else false. */
                    path_style?: boolean;
                    /** @description Only keys below it are used. */
                    prefix?: string | null;
                    /** @description As the store names it; `auto` for R2 and Google Cloud Storage. */
                    region?: string;
                    /** @description Instead of an access key, on AWS: a role of another account, which the service assumes. */
                    role_arn?: string | null;
                    secret_access_key?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Storage"];
                    };
                };
            };
        };
    };
    deleteStorage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    testStorage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            ok: boolean;
                            steps: {
                                /**
                                 * @description Why the step failed.
                                 * @enum {string}
                                 */
                                code?: "secret_missing" | "credentials_refused" | "role_refused" | "role_open" | "address_refused" | "unreachable" | "certificate" | "redirected" | "clock" | "wrong_region" | "no_bucket" | "no_permission" | "not_found" | "store_full" | "store_busy" | "invalid_response" | "refused";
                                /** @description Why, and what to do. */
                                message?: string;
                                ok: boolean;
                                /** @enum {string} */
                                step: "open" | "write" | "read" | "list" | "delete";
                            }[];
                        };
                    };
                };
            };
        };
    };
    createStream: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "video_id": 42,
                 *       "name": "480p",
                 *       "type": "video",
                 *       "input_params": {
                 *         "codec": "h264",
                 *         "width": 854,
                 *         "height": 480,
                 *         "bitrate": "1400k"
                 *       }
                 *     }
                 */
                "application/json": {
                    input_params: components["schemas"]["InputParams"];
                    name: string;
                    type: components["schemas"]["StreamType"];
                    video_id: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Stream"];
                    };
                };
            };
        };
    };
    updateStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "SD"
                 *     }
                 */
                "application/json": {
                    input_params?: components["schemas"]["InputParams"];
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Stream"];
                    };
                };
            };
        };
    };
    deleteStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTags: {
        parameters: {
            query?: {
                cursor?: string;
                per_page?: number;
                /** @description Administrators only: list those of this user instead. */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"][];
                        meta: {
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                        };
                    };
                };
            };
        };
    };
    listPresets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Preset"][];
                    };
                };
            };
        };
    };
    adoptPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description slug */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "My HLS"
                 *     }
                 */
                "application/json": {
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"];
                        /** @description What the query makes that may be unexpected, such as HLS that some devices do not play: one sentence each. */
                        warnings: string[];
                    };
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"][];
                    };
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Web default",
                 *       "query": {
                 *         "version": 1,
                 *         "ladder": {
                 *           "codec": "h264",
                 *           "mode": "quality",
                 *           "max_height": 1080,
                 *           "min_height": 240,
                 *           "max_renditions": 5
                 *         },
                 *         "audio": [
                 *           {
                 *             "name": "stereo",
                 *             "codec": "aac",
                 *             "bitrate": "128k",
                 *             "channels": 2,
                 *             "languages": "all"
                 *           }
                 *         ],
                 *         "outputs": [
                 *           {
                 *             "name": "hls",
                 *             "format": "hls",
                 *             "segment_duration": 6
                 *           }
                 *         ],
                 *         "thumbnails": {
                 *           "poster": {
                 *             "at": "10%"
                 *           },
                 *           "sprite": {
                 *             "interval": 10
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    name: string;
                    query: components["schemas"]["TemplateQuery"];
                    shared?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"];
                        /** @description What the query makes that may be unexpected, such as HLS that some devices do not play: one sentence each. */
                        warnings: string[];
                    };
                };
            };
        };
    };
    templatesConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatesConfig"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"];
                        /** @description What the query makes that may be unexpected, such as HLS that some devices do not play: one sentence each. */
                        warnings: string[];
                    };
                };
            };
        };
    };
    updateTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Web default v2"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    query?: components["schemas"]["TemplateQuery"];
                    shared?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"];
                        /** @description What the query makes that may be unexpected, such as HLS that some devices do not play: one sentence each. */
                        warnings: string[];
                    };
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Token"][];
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ci",
                 *       "abilities": [
                 *         "uploads:write",
                 *         "videos:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @default [
                     *       "*"
                     *     ]
                     */
                    abilities?: ("*" | "videos:read" | "videos:write" | "uploads:write" | "playback:read" | "templates:write" | "webhooks:write" | "usage:read" | "admin")[];
                    expires_at?: string | null;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listUploads: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Upload"][];
                        meta: {
                            current_page: number;
                            last_page: number;
                            per_page: number;
                            total: number;
                        };
                    };
                };
            };
        };
    };
    deleteUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    usage: {
        parameters: {
            query: {
                external_user_id?: string;
                /** @description YYYY-MM-DD, a real calendar day, UTC. */
                from: string;
                /** @description * selects all. Without it the response has upload_bytes and encoding_cpu. */
                metric?: "upload_bytes" | "encoding_cpu" | "stored_bytes" | "delivered_bytes" | "views" | "watched_seconds" | "*";
                /** @description YYYY-MM-DD, a real calendar day, UTC. */
                to: string;
                /** @description Administrators only: the usage of this user instead. */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["UsageRecord"][];
                    };
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["UserWithCreatedAt"][];
                        /** @description Of a page; also of a whole list that has more than 1,000 rows. */
                        meta?: {
                            current_page: number;
                            last_page: number;
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                            total: number;
                        } | {
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                        };
                    };
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bo",
                 *       "email": "bo@example.com",
                 *       "password": "long enough",
                 *       "is_admin": false
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @default false */
                    is_admin?: boolean;
                    name: string;
                    /** Format: password */
                    password: string;
                    /** @default null */
                    quota?: components["schemas"]["QuotaInput"] | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithCreatedAt"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithCreatedAt"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bo B.",
                 *       "email": "bo@example.com",
                 *       "is_admin": true
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email?: string;
                    is_admin?: boolean;
                    name?: string;
                    quota?: components["schemas"]["QuotaInput"] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithCreatedAt"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Record id: the integer id or, where the record has one, its ULID. Anything else answers 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "battery staple"
                 *     }
                 */
                "application/json": {
                    /** Format: password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithCreatedAt"];
                };
            };
        };
    };
    listVideos: {
        parameters: {
            query?: {
                created_from?: string;
                created_to?: string;
                cursor?: string;
                external_user_id?: string;
                /** @description With q: its words may be those of captions too. A word of captions is found by three or more of its characters. Needs the setting transcriptSearch of the service. */
                in?: "transcript";
                page?: number;
                per_page?: number;
                q?: string;
                status?: "pending" | "downloading" | "running" | "uploading" | "completed" | "failed";
                /** @description A video must have all of them. Repeat the parameter for several. */
                tag?: string[];
                template_id?: number;
                /** @description Administrators only: list this user instead. */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VideoListItem"][];
                        meta: {
                            current_page: number;
                            last_page: number;
                            per_page: number;
                            total: number;
                        } | {
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                        };
                    };
                };
            };
        };
    };
    getVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Video"];
                    };
                };
            };
        };
    };
    updateVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Holiday 2026",
                 *       "template_id": 3,
                 *       "metadata": {
                 *         "album": "Summer"
                 *       },
                 *       "tags": [
                 *         "family",
                 *         "sea"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The video is deleted within 15 minutes after it; null keeps it. */
                    expires_at?: string | null;
                    /** @description Is merged with the pairs that exist: null removes a pair. */
                    metadata?: {
                        [key: string]: string | null;
                    };
                    name?: string;
                    /** @enum {string} */
                    playback?: "signed" | "public";
                    tags?: string[];
                    template_id?: number;
                    user_id?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Video"];
                    };
                };
            };
        };
    };
    deleteVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    videoAnalytics: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VideoAnalytics"];
                };
            };
        };
    };
    listCaptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Caption"][];
                    };
                };
            };
        };
    };
    putCaptions: {
        parameters: {
            query?: {
                default?: boolean;
                kind?: components["schemas"]["CaptionKind"];
                /** @description Shown to viewers. Default: the name of the language, in itself. */
                label?: string;
            };
            header?: never;
            path: {
                language: string;
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-subrip": string;
                /**
                 * @example WEBVTT
                 *
                 *     00:01.000 --> 00:04.000
                 *     Guten Morgen!
                 */
                "text/vtt": string;
            };
        };
        responses: {
            /** @description Replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Caption"];
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Caption"];
                    };
                };
            };
        };
    };
    deleteCaptions: {
        parameters: {
            query?: {
                kind?: components["schemas"]["CaptionKind"];
            };
            header?: never;
            path: {
                language: string;
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getCaptionText: {
        parameters: {
            query?: {
                kind?: components["schemas"]["CaptionKind"];
            };
            header?: never;
            path: {
                language: string;
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    generateCaptions: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "language": "de"
                 *     }
                 */
                "application/json": {
                    /** @example de */
                    language?: string;
                    replace?: boolean;
                };
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Caption"];
                    };
                };
            };
        };
    };
    createClip: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "start_seconds": 12.5,
                 *       "end_seconds": 80,
                 *       "name": "The first goal"
                 *     }
                 */
                "application/json": components["schemas"]["CreateClip"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Video"];
                    };
                };
            };
        };
    };
    listStorageDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StorageDelivery"][];
                    };
                };
            };
        };
    };
    createStorageDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "storage": "01K9Z3P6M8N9P0Q1R2S3T4V5W6",
                 *       "path": "films/{ulid}/{output}/",
                 *       "also": [
                 *         "poster"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateStorageDelivery"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StorageDelivery"];
                    };
                };
            };
        };
    };
    createEmbedToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_in": 86400,
                 *       "allowed_domains": [
                 *         "example.com",
                 *         "*.example.com"
                 *       ]
                 *     }
                 */
                "application/json": {
                    allowed_domains?: string[];
                    /** @description Seconds. */
                    expires_in: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        /** Format: uri */
                        url: string;
                    };
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                cursor?: string;
                per_page?: number;
            };
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"][];
                        meta: {
                            next_cursor: string | null;
                            per_page: number;
                        };
                        /** @description A row for each kind that the video has jobs of. */
                        summary: components["schemas"]["JobSummary"][];
                    };
                };
            };
        };
    };
    videoOriginal: {
        parameters: {
            query?: {
                expires_in?: number;
            };
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Original"];
                };
            };
        };
    };
    setPoster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "at_seconds": 12.5
                 *     }
                 */
                "application/json": {
                    at_seconds?: number;
                    /** @description Of createPosterUpload. Instead of at_seconds. */
                    upload?: string;
                };
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Video"];
                    };
                };
            };
        };
    };
    createPosterUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "size": 4500000
                 *     }
                 */
                "application/json": {
                    size: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            ulid: string;
                            /** Format: uri */
                            url: string;
                        };
                    };
                };
            };
        };
    };
    reprocessVideo: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": true
                 *     }
                 */
                "application/json": {
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Video"];
                    };
                };
            };
        };
    };
    videoSources: {
        parameters: {
            query?: {
                expires_in?: number;
            };
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sources"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Administrators only: list this user instead. */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "url": "https://shop.example.com/hooks/video",
                 *       "events": [
                 *         "video.completed"
                 *       ]
                 *     }
                 */
                "application/json": {
                    active?: boolean;
                    /** @description Types of events, or * for all. Events of nodes are for administrators. */
                    events: ("*" | "upload.completed" | "video.created" | "video.playable" | "video.completed" | "video.failed" | "video.deleted" | "video.reprocessing" | "video.replace_failed" | "output.completed" | "output.failed" | "stream.completed" | "stream.failed" | "captions.added" | "captions.failed" | "ingest.failed" | "delivery.completed" | "delivery.failed" | "node.failed" | "node.recovered")[];
                    external_user_id?: string | null;
                    name: string;
                    /**
                     * Format: uri
                     * @description https. Every address of the host must be public when an event is sent. On one machine, loopback addresses and http to them are allowed too.
                     */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        /** @description Shown once. It verifies the signatures by the specification of Standard Webhooks. */
                        secret: string;
                    };
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         "video.completed",
                 *         "video.failed"
                 *       ],
                 *       "active": true
                 *     }
                 */
                "application/json": {
                    active?: boolean;
                    /** @description Types of events, or * for all. Events of nodes are for administrators. */
                    events?: ("*" | "upload.completed" | "video.created" | "video.playable" | "video.completed" | "video.failed" | "video.deleted" | "video.reprocessing" | "video.replace_failed" | "output.completed" | "output.failed" | "stream.completed" | "stream.failed" | "captions.added" | "captions.failed" | "ingest.failed" | "delivery.completed" | "delivery.failed" | "node.failed" | "node.recovered")[];
                    external_user_id?: string | null;
                    name?: string;
                    /**
                     * Format: uri
                     * @description https. Every address of the host must be public when an event is sent. On one machine, loopback addresses and http to them are allowed too.
                     */
                    url?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                cursor?: string;
                event?: "upload.completed" | "video.created" | "video.playable" | "video.completed" | "video.failed" | "video.deleted" | "video.reprocessing" | "video.replace_failed" | "output.completed" | "output.failed" | "stream.completed" | "stream.failed" | "captions.added" | "captions.failed" | "ingest.failed" | "delivery.completed" | "delivery.failed" | "node.failed" | "node.recovered" | "webhook.test";
                from?: string;
                per_page?: number;
                status?: "pending" | "delivered" | "failed" | "exhausted";
                to?: string;
            };
            header?: never;
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        meta: {
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                            per_page: number;
                        };
                    };
                };
            };
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description delivery */
                delivery: string;
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
        };
    };
    resendFailedWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-20T10:00:00Z"
                 *     }
                 */
                "application/json": {
                    /** @description meta.next_cursor of the page before. */
                    cursor?: string;
                    /**
                     * @description A day (UTC) or an ISO 8601 instant with its offset, included. A day without a time means its start.
                     * @example 2026-11-20
                     * @example 2026-11-20T10:00:00Z
                     */
                    from: string;
                };
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            resent: number;
                        };
                        meta: {
                            /** @description For the next page; null on the last one. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        /** @description Shown once. It verifies the signatures by the specification of Standard Webhooks. */
                        secret: string;
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description ULID; case-insensitive. */
                ulid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Worker"][];
                    };
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        version: string;
                    };
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** Format: password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "everywhere": false
                 *     }
                 */
                "application/json": {
                    /** @default false */
                    everywhere?: boolean;
                };
            };
        };
        responses: {
            /** @description Done; empty body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    oembed: {
        parameters: {
            query: {
                /** @description json, the default. */
                format?: string;
                maxheight?: number;
                maxwidth?: number;
                url: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OEmbed"];
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Example",
                 *       "email": "ada@example.com",
                 *       "password": "correct horse",
                 *       "password_confirmation": "correct horse"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    name: string;
                    /** Format: password */
                    password: string;
                    /** Format: password */
                    password_confirmation: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
}
