#!/bin/bash
# Bootstrap action of EMR, with two arguments: the folder of the wheel's jars in a bucket, and which of its Spark versions.
# All go into one folder, as a class path's `*` does not look into folders.
set -euo pipefail
from=${1%/} spark=$2
sudo mkdir -p /opt/kafkalyst/jars
sudo aws s3 cp "$from/kafkalyst.jar" /opt/kafkalyst/jars/
sudo aws s3 cp --recursive "$from/common/" /opt/kafkalyst/jars/
sudo aws s3 cp --recursive "$from/spark-$spark/" /opt/kafkalyst/jars/
